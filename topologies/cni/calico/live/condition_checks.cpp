#include <fmt/format.h>

#include "topologies/cni/calico/live/live.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

std::string remedy_for(const effective::EffectiveDataplane& shoot) {
  const provider::Profile& provider = provider::profile_of(shoot.provider);
  return provider.routes.cleans_up_calico
             ? fmt::format("wait for the clean-up of provider {}, or remove the condition",
                           provider.name)
             : "remove the condition: the provider does not clean it up";
}

void check_left_condition(const ObservedInputs& in, RuleReport& report) {
  for (const cni::ObservedNode& node : in.nodes)
    if (node.unavailable && is_left_over(in.expected, node.reason))
      report.add(*node.unavailable,
                 fmt::format("node {} still has the condition NetworkUnavailable={} ({}) that "
                             "calico-node set while the shoot had an overlay",
                             node.name, node.unavailable->value, node.reason),
                 remedy_for(in.expected));
}

constexpr Check<ObservedInputs> kConditionChecks[] = {
    {{.id = "live-calico-condition-left",
      .section = "§5.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A routed shoot still has node conditions that calico-node set.",
      .why = "Without an overlay calico-node no longer owns the condition. One that it set while "
             "stopping taints the node permanently, and the machine is replaced.",
      .remedy = "wait for the provider's clean-up (aws, gcp, openstack), or remove the condition",
      .source = "gardener-extension-provider-<name> pkg/controller/controlplane/actuator.go"},
     check_left_condition},
};

}  // namespace

bool is_left_over(const effective::EffectiveDataplane& shoot, std::string_view reason) {
  return shoot.dataplane.mode == effective::Mode::Routed &&
         shoot.dataplane.backend == effective::Backend::None &&
         (reason == "CalicoIsUp" || reason == "CalicoIsDown");
}

std::span<const Check<ObservedInputs>> condition_checks() {
  return kConditionChecks;
}

}  // namespace overlane::calico
