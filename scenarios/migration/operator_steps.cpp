#include "scenarios/migration/operator_steps.h"

#include <fmt/format.h>

namespace overlane::migration {
namespace {

constexpr auto kRollOutStatus = "kubectl -n kube-system rollout status daemonset/calico-node";

/// Creates the cloud route of one node.
std::string create_route(const effective::EffectiveDataplane& shoot) {
  const std::string_view command = provider::profile_of(shoot.provider).routes.create_command;
  return std::string(command.empty() ? "<create a route to podCIDR with the node as next hop>"
                                     : command);
}

OperatorStep change_shoot(const Loaded& loaded) {
  const auto& shoot = loaded.transition.before;
  return {"Change the shoot's networking.providerConfig.",
          {fmt::format("kubectl -n {} patch shoot {} --type merge -p '{{\"spec\":{{\"networking\":"
                       "{{\"providerConfig\":{}}}}}}}'",
                       shoot.namespace_, shoot.name, loaded.patch)},
          {}};
}

}  // namespace

std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy) {
  std::vector<OperatorStep> steps;
  if (strategy.gate == Gate::NodeRoutes)
    steps.push_back(
        {"Have the landscape's operator turn the feature gate SeamlessOverlaySwitch of "
         "gardener-extension-networking-calico on.",
         {},
         "The extension runs with it."});
  if (strategy.routes_before)
    steps.push_back({"Create a cloud route for each node, in each route table.",
                     {"kubectl get nodes -o custom-columns=NAME:.metadata.name,"
                      "PODCIDR:.spec.podCIDR,ID:.spec.providerID",
                      create_route(loaded.transition.before)},
                     "Each node has its route."});
  steps.push_back(change_shoot(loaded));
  if (strategy.deletes_pods)
    steps.push_back({"Delete all pods of calico-node as soon as the DaemonSet has changed.",
                     {"kubectl -n kube-system get daemonset calico-node --output-watch-events -w",
                      "kubectl -n kube-system delete pod -l k8s-app=calico-node"},
                     {}});
  steps.push_back({"Wait for the roll-out.", {kRollOutStatus}, "All pods are ready."});
  return steps;
}

}  // namespace overlane::migration
