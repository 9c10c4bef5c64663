#include "topologies/live/live_tables.h"

namespace overlane::live {
namespace {

using effective::NodeAgent;
using rules::Enforcer;
using rules::RuleReport;

/// decode_observed() has these findings; they stand in a table to be documented.
void nothing(const LiveInputs&, RuleReport&) {}

void check_other_network(const LiveInputs& in, RuleReport& report) {
  if (in.expected.opaque) return;
  const bool calico = in.expected.agent == NodeAgent::CalicoNode;
  if (!calico && in.observed.shows_calico())
    report.add("the cluster shows objects of calico, but the shoot's network type is " +
               in.expected.cni);
  if (calico && !in.observed.cilium_config.empty())
    report.add("the cluster shows cilium's configuration, but the shoot's network type is " +
               in.expected.cni);
}

constexpr Check<LiveInputs> kInputChecks[] = {
    {{.id = "unread-live-kind",
      .section = "live",
      .severity = Severity::Note,
      .enforcer = Enforcer::Reader,
      .title = "The cluster's output has a kind that Overlane does not compare.",
      .why = "Objects of other kinds are named once and ignored; their contents are never shown.",
      .remedy = "give Nodes, IPPools, FelixConfigurations, the DaemonSet calico-node and the "
                "ConfigMaps calico-config and cilium-config",
      .source = "topologies/live"},
     nothing},
    {{.id = "live-other-network",
      .section = "live",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "The cluster has objects of another network type.",
      .why = "Either the objects are of another cluster, or two network extensions have been at "
             "work in this one.",
      .remedy = "give objects of the shoot's own cluster, or remove those that were left over",
      .source = "topologies/live"},
     check_other_network},
};

}  // namespace

std::span<const Check<LiveInputs>> input_checks() {
  return kInputChecks;
}

}  // namespace overlane::live
