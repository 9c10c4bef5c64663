#include <fmt/format.h>

#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/cni/cilium/sources.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::cilium {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void compare_switch(const LintInputs& in, const Field<bool>& given, Family family,
                    RuleReport& report) {
  const bool written = in.shoot.families.has(family);
  if (given && given->value != written)
    report.add(*given, fmt::format("{} is overwritten with {} because of ipFamilies", given->path,
                                   written));
}

void check_switches(const LintInputs& in, RuleReport& report) {
  compare_switch(in, in.config.ipv4_enabled, Family::Ipv4, report);
  compare_switch(in, in.config.ipv6_enabled, Family::Ipv6, report);
}

void check_operator(const LintInputs& in, RuleReport& report) {
  constexpr std::int64_t kNodesForTwo = 2;
  const auto& workers = in.shoot.spec.shoot.workers;
  if (!workers.empty() && rules::count_nodes(in.shoot.spec.shoot).minimum < kNodesForTwo)
    report.add("spec.provider.workers", workers.front().place,
               "with a minimum of fewer than two nodes, Cilium's operator has one replica");
}

constexpr Check<LintInputs> kAgentLints[] = {
    {{.id = "family-switch-overwritten",
      .section = "§1.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipv4.enabled or ipv6.enabled contradicts ipFamilies and is overwritten.",
      .why = "The actuator writes both from the shoot's families and discards the user's values.",
      .remedy = "remove ipv4 and ipv6, and set ipFamilies",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     check_switches},
    {{.id = "cilium-single-operator",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Cilium's operator has one replica.",
      .why = "It has two replicas where the workers' minimum is two nodes or more. With one, new "
             "nodes and identities wait while it moves.",
      .remedy = "raise a pool's minimum",
      .source = kCharts},
     check_operator},
};

}  // namespace

std::span<const Check<LintInputs>> agent_lints() {
  return kAgentLints;
}

}  // namespace overlane::cilium
