#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

using cni::SwitchInputs;
using effective::Dataplane;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void lint_late_restart(const SwitchInputs& in, RuleReport& report) {
  const Dataplane& before = in.before.dataplane;
  const Dataplane& after = in.after.dataplane;
  if (before.encapsulation != after.encapsulation || before.mode != after.mode ||
      before.routes_by != after.routes_by)
    report.add(
        "cilium's agents restart only with the reconciliation after the one that writes "
        "their configuration: until then new and old agents run side by side");
}

constexpr Check<SwitchInputs> kSwitchLints[] = {
    {{.id = "cilium-rolls-late",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A change of cilium's routing needs a second reconciliation.",
      .why = "The hash that makes the agents restart is computed from the configuration before the "
             "reconciliation.",
      .remedy = "reconcile the shoot once more after the update",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     lint_late_restart},
};

}  // namespace

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

}  // namespace overlane::cilium
