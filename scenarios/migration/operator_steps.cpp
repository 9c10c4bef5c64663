#include "scenarios/migration/operator_steps.h"

#include <fmt/format.h>

namespace overlane::migration {
namespace {

/// Creates the cloud route of one node.
std::string create_route(const effective::EffectiveDataplane& shoot) {
  const std::string_view command = provider::profile_of(shoot.provider).routes.create_command;
  return std::string(command.empty() ? "<create a route to podCIDR with the node as next hop>"
                                     : command);
}

/// Keeps calico-node from marking nodes as unavailable, or undoes it.
OperatorStep protect_conditions(const Transition& transition) {
  const effective::EffectiveDataplane& shoot = transition.before;
  const manifest::MutatingPolicies& policies = shoot.mutating_policies;
  const bool has_policy = provider::profile_of(shoot.provider).routes.cleans_up_calico;
  if (has_policy && !policies.api.empty())
    return {
        "Enable MutatingAdmissionPolicy: calico-node must not mark nodes as unavailable, or "
        "machines are replaced.",
        {fmt::format("kubectl -n {} patch shoot {} --type merge -p '{{\"spec\":{{\"kubernetes\":"
                     "{{\"kubeAPIServer\":{{\"featureGates\":{{\"MutatingAdmissionPolicy\":"
                     "true}},\"runtimeConfig\":{{\"{}\":true}}}}}}}}}}'",
                     shoot.namespace_, shoot.name, policies.api)},
        "the Shoot is reconciled"};
  return {
      "Until the roll-out is over, undo what calico-node marks as unavailable: after ten minutes "
      "the node's machine would be replaced. Repeat for each node with CalicoIsDown:",
      {"kubectl patch node <node> --subresource=status --type strategic -p "
       "'{\"status\":{\"conditions\":[{\"type\":\"NetworkUnavailable\",\"status\":\"False\","
       "\"reason\":\"RouteCreated\"}]}}'"},
      {}};
}

}  // namespace

std::string patch_command(const Loaded& loaded, const std::string& patch) {
  const auto& shoot = loaded.transition.before;
  return fmt::format(
      "kubectl -n {} patch shoot {} --type merge -p "
      "'{{\"spec\":{{\"networking\":{}}}}}'",
      shoot.namespace_, shoot.name, patch);
}

namespace {

/// Has gardenlet do something.
std::string operation(const effective::EffectiveDataplane& shoot, std::string_view what) {
  return fmt::format("kubectl -n {} annotate shoot {} {}", shoot.namespace_, shoot.name, what);
}

std::vector<OperatorStep> family_steps(const Loaded& loaded) {
  const auto& shoot = loaded.transition.before;
  const std::string show_constraints =
      fmt::format("kubectl -n {} get shoot {} -o jsonpath='{{.status.constraints}}'",
                  shoot.namespace_, shoot.name);
  const std::string roll = operation(shoot, "'gardener.cloud/operation=rollout-workers=*'");
  constexpr auto kRoll = "Have all nodes replaced, or one worker pool after another by its name.";
  if (!loaded.transition.becomes_dual_stack())
    return {{"Change the shoot's networking.ipFamilies: connections over IPv6 end.",
             {patch_command(loaded, loaded.patch), show_constraints},
             "the Shoot is reconciled"},
            {kRoll, {roll}, "the constraint DualStackNodesMigrationReady is gone"}};
  return {{"Change the shoot's networking.ipFamilies.",
           {patch_command(loaded, loaded.patch), show_constraints},
           "the constraint DualStackNodesMigrationReady is Progressing"},
          {kRoll, {roll}, "the constraint is True"},
          {"Have the Shoot reconciled: pods that are made from then on get IPv6 addresses, and "
           "CoreDNS is restarted.",
           {operation(shoot, "gardener.cloud/operation=reconcile")},
           "the constraint DNSServiceMigrationReady is gone"}};
}

}  // namespace

std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy) {
  if (loaded.transition.changes_families()) return family_steps(loaded);
  const auto& shoot = loaded.transition.before;
  const cni::Migration& cni = loaded.transition.cni();
  std::vector<OperatorStep> steps;
  if (strategy.protects_conditions && loaded.may_lose_nodes())
    steps.push_back(protect_conditions(loaded.transition));
  if (strategy.gate == Gate::NodeRoutes)
    steps.push_back({fmt::format("Have the landscape's operator turn the feature gate {} of "
                                 "gardener-extension-networking-{} on.",
                                 cni.route_gate, shoot.cni),
                     {},
                     "the extension runs with it"});
  if (strategy.routes_before)
    steps.push_back({"Create each node's cloud route in each table.",
                     {"kubectl get nodes -o custom-columns=NAME:.metadata.name,"
                      "PODS:.spec.podCIDR,ID:.spec.providerID",
                      create_route(shoot)},
                     "all are there"});
  if (cni.rolls_next_time)
    steps.push_back(
        {"Keep nodes from joining and pods of the agent from restarting until the roll-out: "
         "they would start in the new mode, and reach no other node.",
         {},
         {}});
  steps.push_back(
      {"Change the shoot's networking.providerConfig.", {patch_command(loaded, loaded.patch)}, {}});
  const auto reconcile_again = [&] {
    if (!cni.rolls_next_time) return;
    steps.back().wait_for = fmt::format("the {} in kube-system has changed", cni.configuration);
    steps.push_back({"Have the Shoot reconciled again: only then are the agents' pods replaced.",
                     {operation(shoot, "gardener.cloud/operation=reconcile")},
                     {}});
  };
  const Timing& timing = loaded.timing;
  const bool goes_back_first =
      loaded.goes_back() &&
      loaded.disturbance->at <= timing.until_network() + timing.next_reconcile;
  if (!goes_back_first) reconcile_again();
  if (strategy.deletes_pods)
    steps.push_back(
        {fmt::format("Delete all pods of {} as soon as the DaemonSet has changed.", cni.daemon_set),
         {fmt::format("kubectl -n kube-system get daemonset {} --output-watch-events -w",
                      cni.daemon_set),
          fmt::format("kubectl -n kube-system delete pod -l {}", cni.pod_selector)},
         {}});
  if (loaded.goes_back()) {
    steps.push_back({fmt::format("After {}, change the shoot's networking.providerConfig back.",
                                 duration_text(loaded.disturbance->at)),
                     {patch_command(loaded, loaded.patch_back)},
                     {}});
    reconcile_again();
  }
  steps.push_back(
      {"Wait for the roll-out: all pods are ready.",
       {fmt::format("kubectl -n kube-system rollout status daemonset/{}", cni.daemon_set)},
       {}});
  if (loaded.transition.changes_ipam())
    steps.push_back(
        {"Have all pods made again, namespace by namespace: those from before the switch "
         "have addresses that calico-ipam does not know.",
         {"kubectl -n <namespace> rollout restart deployment,statefulset,daemonset"},
         {}});
  return steps;
}

}  // namespace overlane::migration
