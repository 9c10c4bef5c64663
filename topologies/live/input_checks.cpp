#include <fmt/format.h>

#include "topologies/live/live_tables.h"

namespace overlane::live {
namespace {

using rules::Enforcer;
using rules::RuleReport;

/// Only documents the rule: decode_observed() makes its findings.
void nothing(const LiveInputs&, RuleReport&) {}

void check_other_network(const LiveInputs& in, RuleReport& report) {
  if (in.expected.opaque) return;
  for (const ObservedCni& one : in.observed.cnis)
    if (one.cni->agent != in.expected.agent && !one.objects->empty())
      report.add(fmt::format("the cluster has objects of {}, but the shoot's network type is {}",
                             one.cni->type(), in.expected.cni));
}

constexpr Check<LiveInputs> kInputChecks[] = {
    {{.id = "unread-live-kind",
      .section = "live",
      .severity = Severity::Note,
      .enforcer = Enforcer::Reader,
      .title = "The cluster's output has a kind that Overlane does not compare.",
      .why = "Objects of other kinds are named once and ignored; their contents are never shown.",
      .remedy = "give Nodes and the objects that configure the shoot's CNI",
      .source = "topologies/live"},
     nothing},
    {{.id = "live-other-network",
      .section = "live",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The cluster has objects of another network type.",
      .why = "Either the objects belong to another cluster, or two network extensions have "
             "configured this one.",
      .remedy = "give objects of the shoot's own cluster, or remove the left-over ones",
      .source = "topologies/live"},
     check_other_network},
};

}  // namespace

std::span<const Check<LiveInputs>> input_checks() {
  return kInputChecks;
}

}  // namespace overlane::live
