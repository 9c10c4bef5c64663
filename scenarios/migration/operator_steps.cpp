#include "scenarios/migration/operator_steps.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::migration {

namespace {

/// Text that pods reach nodes under their own addresses after the switch; empty if nothing changes.
std::string masquerading(const Transition& transition) {
  const auto unmasqueraded = [](const compile::Compiled& states) -> std::vector<IpPrefix> {
    const auto& filter = states.nodes.front().filter;
    return filter == nullptr ? std::vector<IpPrefix>{} : filter->unmasqueraded_destinations;
  };
  const std::vector<IpPrefix> before = unmasqueraded(transition.from);
  for (const IpPrefix& prefix : unmasqueraded(transition.to))
    if (std::ranges::find(before, prefix) == before.end())
      return fmt::format("pods reach {} unmasqueraded", prefix.to_string());
  return "";
}

/// The routes and devices that stay after the switch.
std::vector<Leftover> things_left(const Transition& transition, const SwitchResult& course) {
  std::vector<Leftover> left;
  std::vector<PodRoute> stale = unneeded_routes(transition);
  std::erase_if(stale, [&](const PodRoute& route) { return !has_route(course.end.fabric, route); });
  if (!stale.empty())
    left.push_back({fmt::format("{} to pods stay in the cloud's route tables, use up the quota and "
                                "become black holes when their nodes are deleted",
                                counted(stale.size(), "route")),
                    transition.changes_ipam()
                        ? "delete them when no pod from before the switch runs any more"
                        : "when you will not go back, delete those to the nodes' pod CIDRs"});
  std::map<std::string, std::uint64_t> devices;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node) {
    if (course.end.stopped.contains(node)) continue;
    for (const node::Device& device : course.end.nodes[node].devices)
      if (transition.to.nodes[node].find_device(device.name) == nullptr)
        ++devices[std::string(device.name.view())];
  }
  for (const auto& [name, nodes] : devices)
    left.push_back({fmt::format("the device {} stays on {}", name, counted(nodes, "node")),
                    fmt::format("{}`ip link set {} down`",
                                transition.replaces_nodes() ? "replace them, or " : "", name)});
  return left;
}

/// Whether all pods have moved to other nodes.
bool pods_are_new(const SwitchResult& course) {
  return course.end.stopped.contains(0);
}

}  // namespace

std::uint32_t oversized_packets(const Transition& transition, const SwitchResult& course) {
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const bool shrinks = old_mtu > transition.after.dataplane.pod_mtu;
  return shrinks && !pods_are_new(course) ? old_mtu : 0;
}

std::vector<Leftover> leftovers(const Transition& transition, const SwitchResult& course,
                                bool is_back) {
  std::vector<Leftover> left = things_left(transition, course);
  if (is_back) {
    if (oversized_packets(transition, course) > 0)
      left.push_back(
          {fmt::format("pods made during the switch keep the MTU {}; the "
                       "tunnel carries {}",
                       transition.before.dataplane.pod_mtu, transition.after.dataplane.pod_mtu),
           "restart them"});
    return left;
  }
  if (const std::string change = masquerading(transition); !change.empty())
    left.push_back({change, "let the pods' range pass there"});
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const std::uint32_t new_mtu = transition.after.dataplane.pod_mtu;
  const effective::Dataplane& after = transition.after.dataplane;
  const std::uint32_t carried = after.link_mtu - std::min(after.link_mtu, after.overhead_bytes);
  if (new_mtu > carried)
    left.push_back({fmt::format("pods have the MTU {}, and {} bytes fit between nodes: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                new_mtu, carried),
                    fmt::format("set the pods' MTU to {}, and restart them", carried)});
  if (oversized_packets(transition, course) > 0)
    left.push_back({fmt::format("running pods keep the MTU {}; the tunnel carries {}: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                old_mtu, new_mtu),
                    "restart the pods"});
  if (old_mtu < new_mtu && !pods_are_new(course))
    left.push_back({fmt::format("running pods keep the MTU {} (new ones: {})", old_mtu, new_mtu),
                    "restart them when convenient"});
  return left;
}

namespace {

using effective::EffectiveDataplane;

constexpr std::string_view kOfGarden = "kubectl --kubeconfig \"$GARDEN\"";
constexpr std::string_view kOfShoot = "kubectl --kubeconfig \"$SHOOT\"";

std::string in_garden(const EffectiveDataplane& shoot, std::string_view command) {
  return fmt::format("{} -n {} {}", kOfGarden, shoot.namespace_, command);
}

std::string in_shoot(std::string_view command) {
  return fmt::format("{} {}", kOfShoot, command);
}

/// The command that patches spec.networking with the JSON in `patch`.
std::string patch_networking(const EffectiveDataplane& shoot, const std::string& patch) {
  return in_garden(
      shoot, fmt::format("patch shoot {} --type merge -p '{{\"spec\":{{\"networking\":{}}}}}'",
                         shoot.name, patch));
}

/// The command that annotates the Shoot, so that gardenlet performs the operation `what`.
std::string operation(const EffectiveDataplane& shoot, std::string_view what) {
  return in_garden(shoot, fmt::format("annotate shoot {} {}", shoot.name, what));
}

constexpr std::string_view kReconcile = "gardener.cloud/operation=reconcile --overwrite";

/// The command that shows the progress of gardenlet and ends after the last change of the Shoot has
/// been reconciled. Before that, the roll-out has not begun, and `kubectl rollout status` shows the
/// previous one.
std::string wait_for_reconciliation(const EffectiveDataplane& shoot) {
  return fmt::format(
      "until {} | jq -e '.status.lastOperation.state, (.metadata.generation == "
      ".status.observedGeneration and .status.lastOperation.state == \"Succeeded\")'; do sleep 10; "
      "done",
      in_garden(shoot, fmt::format("get shoot {} -o json", shoot.name)));
}

/// The commands that patch the Shoot and start its reconciliation. With confineSpecUpdateRollout a
/// patch does not raise the generation, which only a reconciliation does (gardener/gardener
/// pkg/apiserver/registry/core/shoot/strategy.go).
std::vector<std::string> change(const EffectiveDataplane& shoot, std::string patch) {
  std::vector<std::string> commands{std::move(patch)};
  if (shoot.confines_rollout) commands.push_back(operation(shoot, kReconcile));
  return commands;
}

/// A caution about a change of the Shoot; empty if there is none.
std::string caution_of_change(const EffectiveDataplane& shoot) {
  return shoot.confines_rollout
             ? "spec.maintenance.confineSpecUpdateRollout is true: without the second command the "
               "change waits for the Shoot's next maintenance time window."
             : "";
}

std::string show_constraints(const EffectiveDataplane& shoot) {
  return in_garden(shoot,
                   fmt::format("get shoot {} -o jsonpath='{{.status.constraints}}'", shoot.name));
}

/// gardener/gardener, docs/usage/shoot/shoot_access.md: the subresource shoots/adminkubeconfig.
OperatorStep prepare(const EffectiveDataplane& shoot) {
  return {
      .place = StepPlace::Shell,
      .action =
          "Name the clusters. GARDEN is the kubeconfig file of the garden cluster (the "
          "dashboard has it under My Account, Access); SHOOT that of the shoot, valid for "
          "eight hours. The comments say where the commands below them act: in the garden cluster, "
          "in the shoot, in the cloud (by its command line, logged in to the shoot's account), or "
          "in the shell only.",
      .commands = {"export GARDEN=garden-kubeconfig.yaml SHOOT=shoot-kubeconfig.yaml",
                   fmt::format("kubectl --kubeconfig \"$GARDEN\" create --raw /apis/"
                               "core.gardener.cloud/v1beta1/namespaces/{}/shoots/{}/"
                               "adminkubeconfig -f <(echo '{{\"spec\":{{\"expirationSeconds\":"
                               "28800}}}}') | jq -r .status.kubeconfig | base64 -d > \"$SHOOT\"",
                               shoot.namespace_, shoot.name),
                   fmt::format("ID=$({})", in_garden(shoot, fmt::format("get shoot {} -o jsonpath="
                                                                        "'{{.status.technicalID}}'",
                                                                        shoot.name)))}};
}

OperatorStep find_out(const Condition& condition) {
  const bool is_in_shoot = condition.command.find(kOfShoot) != std::string::npos;
  return {.place = is_in_shoot ? StepPlace::Shoot : StepPlace::Cloud,
          .action = fmt::format(
              "Check that {0}: {1}. Go on only if {0}. If not, stop: the verdict is then {2}. "
              "Run `overlane migrate` again with `--set {3}`, or with the value that you found, "
              "and follow its answer.",
              condition.holds, condition.reading, to_string(condition.otherwise),
              condition.setting_otherwise),
          .commands = {condition.command}};
}

constexpr std::string_view kPolicyOff = "Switch MutatingAdmissionPolicy off again.";

/// The step that keeps calico-node from marking nodes as unavailable. `stays`: the pods are routed
/// in the end, where the network extension has a policy as well.
OperatorStep protect_conditions(const EffectiveDataplane& shoot, bool stays) {
  const manifest::MutatingPolicies& policies = shoot.mutating_policies;
  const bool has_policy = provider::profile_of(shoot.provider).routes.cleans_up_calico;
  if (has_policy && !policies.api.empty()) {
    const auto patch = [&](std::string_view on) {
      return in_garden(
          shoot, fmt::format("patch shoot {} --type merge -p '{{\"spec\":{{\"kubernetes\":"
                             "{{\"kubeAPIServer\":{{\"featureGates\":{{\"MutatingAdmissionPolicy\":"
                             "{}}},\"runtimeConfig\":{{\"{}\":{}}}}}}}}}}}'",
                             shoot.name, on, policies.api, on));
    };
    return {.place = StepPlace::Garden,
            .action = fmt::format(
                "Enable MutatingAdmissionPolicy: calico-node must not mark nodes as "
                "unavailable, or machines are replaced.{}",
                stays ? " Leave it on while the pods are routed: the extension has a policy for "
                        "such shoots."
                      : ""),
            .commands = change(shoot, patch("true")),
            .wait_for = "the Shoot is reconciled",
            .wait_commands = {wait_for_reconciliation(shoot)},
            .caution = caution_of_change(shoot),
            .undo = std::string(kPolicyOff),
            .undo_commands = change(shoot, patch("null"))};
  }
  return {
      .place = StepPlace::SecondShell,
      .action =
          "In a second shell, until the roll-out is over, undo what calico-node marks as "
          "unavailable: after ten minutes the node's machine would be replaced. This loop does not "
          "end by itself.",
      .commands =
          {"export SHOOT=shoot-kubeconfig.yaml",
           fmt::format(
               "while sleep 20; do {} | jq -r '.items[] | select(any(.status.conditions[]; "
               ".reason == \"CalicoIsDown\")) | .metadata.name' | while read -r node; do {}; done; "
               "done",
               in_shoot("get nodes -o json"),
               in_shoot("patch node \"$node\" --subresource=status --type strategic -p "
                        "'{\"status\":{\"conditions\":[{\"type\":\"NetworkUnavailable\",\"status\":"
                        "\"False\",\"reason\":\"RouteCreated\"}]}}'"))},
      .undo = "End the loop in the second shell (Ctrl-C)."};
}

/// The strategy of the switch that creates no routes by hand; null if there is none.
const Strategy* strategy_without_routes(const Loaded& loaded) {
  const auto suits = [](const Strategy& one) {
    return !one.routes_before && one.gate == Gate::None && one.protects_conditions;
  };
  const auto found = std::ranges::find_if(loaded.strategies, suits);
  return found == loaded.strategies.end() ? nullptr : &*found;
}

/// The command that prints name, pod CIDR, address and provider id of each node.
std::string list_nodes() {
  return in_shoot(
      "get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR} "
      "{.status.addresses[?(@.type==\"InternalIP\")].address} {.spec.providerID}{\"\\n\"}{end}'");
}

/// Runs a command of provider::Routes for each node.
std::string for_each_node(std::string_view command) {
  return fmt::format("{} | while read -r node cidr address id; do {}; done", list_nodes(), command);
}

/// The command that sets TABLES to the shoot's route tables.
std::string find_route_tables(const EffectiveDataplane& shoot) {
  const provider::Routes& routes = provider::profile_of(shoot.provider).routes;
  const bool is_existing = !shoot.network_id.empty() && !routes.find_tables_in.empty();
  return is_existing ? fmt::format(fmt::runtime(routes.find_tables_in), shoot.network_id)
                     : std::string(routes.find_tables_command);
}

OperatorStep create_routes(const Loaded& loaded) {
  const EffectiveDataplane& shoot = loaded.transition.before;
  const provider::Routes& routes = provider::profile_of(shoot.provider).routes;
  OperatorStep step{.place = StepPlace::Cloud,
                    .action =
                        "Create the cloud route of every node in every route table, or router, "
                        "of the shoot: destination the node's pod CIDR, next hop the node.",
                    .caution = std::string(routes.by_hand_caution),
                    .undo =
                        "The route controller keeps these routes. If the switch is given up, "
                        "delete them."};
  const Strategy* other = strategy_without_routes(loaded);
  if (!step.caution.empty() && other != nullptr)
    step.caution += fmt::format(" `--strategy {}` creates none.", other->name);
  if (routes.create_command.empty()) {
    step.commands = {list_nodes()};
    step.wait_for = "the cloud lists one route for each node and table";
    return step;
  }
  step.wait_for = "this prints a line for each node, in each route table";
  step.wait_commands = {for_each_node(routes.show_command)};
  step.commands = {find_route_tables(shoot), for_each_node(routes.create_command)};
  step.undo_commands = {for_each_node(routes.delete_command)};
  return step;
}

/// The step that deletes the routes to pods which nothing deletes after a change to an overlay.
OperatorStep delete_routes(const EffectiveDataplane& shoot) {
  const provider::Routes& routes = provider::profile_of(shoot.provider).routes;
  OperatorStep step{
      .place = StepPlace::Cloud,
      .action =
          "Delete the cloud route of every node in every route table, or router, of the shoot. No "
          "controller deletes them: they would use up the quota, and become black "
          "holes when their nodes are deleted."};
  if (routes.delete_command.empty())
    step.commands = {list_nodes()};
  else
    step.commands = {find_route_tables(shoot), for_each_node(routes.delete_command)};
  return step;
}

/// The step that has all pods of the shoot made again.
OperatorStep make_pods_again(std::string reason) {
  return {.place = StepPlace::Shoot,
          .action = fmt::format("Have all pods made again: {}. Jobs and bare pods are to be made "
                                "again by hand.",
                                reason),
          .commands = {fmt::format("{} | while read -r namespace; do {}; done",
                                   in_shoot("get namespaces -o name | cut -d/ -f2"),
                                   in_shoot("-n \"$namespace\" rollout restart "
                                            "deployment,statefulset,daemonset"))}};
}

OperatorStep keep_agents() {
  return {.place = StepPlace::Shoot,
          .action =
              "Keep nodes from joining and pods of the agent from restarting until the roll-out: "
              "they would start in the new mode, and reach no other node."};
}

OperatorStep wait_for_rollout(const EffectiveDataplane& shoot, const cni::Migration& cni) {
  return {.place = StepPlace::Shell,
          .action =
              "Wait until the Shoot is reconciled, and then for the roll-out: all pods are ready.",
          .commands = {
              wait_for_reconciliation(shoot),
              in_shoot(fmt::format("-n kube-system rollout status daemonset/{}", cni.daemon_set))}};
}

/// Adds the step after the change of the configuration: the next reconciliation replaces cilium's
/// pods.
void add_reconciliation(const EffectiveDataplane& shoot, const cni::Migration& cni,
                        std::vector<OperatorStep>& steps) {
  if (!cni.rolls_next_time) return;
  steps.back().wait_for =
      fmt::format("the Shoot is reconciled: the {} in kube-system has changed", cni.configuration);
  steps.back().wait_commands = {wait_for_reconciliation(shoot)};
  steps.push_back(
      {.place = StepPlace::Garden,
       .action = "Have the Shoot reconciled again: only then are the agents' pods replaced.",
       .commands = {operation(shoot, kReconcile)}});
}

std::vector<OperatorStep> family_steps(const Loaded& loaded) {
  const EffectiveDataplane& shoot = loaded.transition.before;
  const OperatorStep roll{
      .place = StepPlace::Garden,
      .action = "Have all nodes replaced, or one worker pool after another by its name.",
      .commands = {operation(shoot, "'gardener.cloud/operation=rollout-workers=*' --overwrite")}};
  const auto wait_for = [&](OperatorStep step, std::string what) {
    step.wait_for = std::move(what);
    step.wait_commands = {show_constraints(shoot)};
    return step;
  };
  OperatorStep families{.place = StepPlace::Garden,
                        .action = "Change the shoot's networking.ipFamilies.",
                        .commands = change(shoot, patch_networking(shoot, loaded.patch)),
                        .caution = caution_of_change(shoot),
                        .undo = "Change networking.ipFamilies back; all nodes are replaced again.",
                        .undo_commands = change(shoot, patch_networking(shoot, loaded.patch_back))};
  if (!loaded.transition.becomes_dual_stack()) {
    families.action = "Change the shoot's networking.ipFamilies: connections over IPv6 end.";
    families.wait_for = "the Shoot is reconciled";
    families.wait_commands = {wait_for_reconciliation(shoot)};
    return {families, wait_for(roll, "the constraint DualStackNodesMigrationReady is gone")};
  }
  OperatorStep reconcile{
      .place = StepPlace::Garden,
      .action =
          "Have the Shoot reconciled: pods that are made from then on get IPv6 addresses, "
          "and CoreDNS is restarted.",
      .commands = {operation(shoot, kReconcile)}};
  return {
      wait_for(std::move(families), "the constraint DualStackNodesMigrationReady is Progressing"),
      wait_for(roll, "the constraint is True"),
      wait_for(std::move(reconcile), "the constraint DNSServiceMigrationReady is gone")};
}

/// Whether nodes may lose their machines on the way back, and no step of the switch prevents it.
bool needs_protection_on_way_back(const Loaded& loaded, const Strategy& strategy) {
  const bool is_protected = strategy.protects_conditions && loaded.may_lose_nodes();
  return loaded.transition.reversed().may_lose_nodes() && !is_protected;
}

/// Adds the step that ends the loop in the second shell, if there is one.
void add_end_of_loop(std::vector<OperatorStep>& steps) {
  const auto loop = std::ranges::find(steps, StepPlace::SecondShell, &OperatorStep::place);
  if (loop != steps.end())
    steps.push_back({.place = StepPlace::SecondShell, .action = std::string(loop->undo)});
}

/// The steps of the strategy, without preparation.
std::vector<OperatorStep> mode_steps(const Loaded& loaded, const Strategy& strategy) {
  const EffectiveDataplane& shoot = loaded.transition.before;
  const cni::Migration& cni = loaded.transition.cni();
  std::vector<OperatorStep> steps;
  if (strategy.protects_conditions && loaded.may_lose_nodes())
    steps.push_back(protect_conditions(shoot, loaded.transition.to_routed()));
  if (strategy.gate == Gate::NodeRoutes)
    steps.push_back({.place = StepPlace::Landscape,
                     .action = fmt::format("Have the landscape's operator turn the feature gate {} "
                                           "of gardener-extension-networking-{} on.",
                                           cni.route_gate, shoot.cni),
                     .wait_for = "the extension runs with it",
                     .undo = "Have the feature gate turned off again."});
  if (strategy.routes_before) steps.push_back(create_routes(loaded));
  if (cni.rolls_next_time) steps.push_back(keep_agents());
  std::vector<std::string> change_commands = change(shoot, patch_networking(shoot, loaded.patch));
  const std::string generation = in_shoot(fmt::format(
      "-n kube-system get daemonset {} -o jsonpath='{{.metadata.generation}}'", cni.daemon_set));
  if (strategy.deletes_pods)
    change_commands.insert(change_commands.begin(), fmt::format("GENERATION=$({})", generation));
  steps.push_back({.place = StepPlace::Garden,
                   .action = "Change the shoot's networking.providerConfig.",
                   .commands = std::move(change_commands),
                   .caution = caution_of_change(shoot),
                   .undo = "Change networking.providerConfig back.",
                   .undo_commands = change(shoot, patch_networking(shoot, loaded.patch_back))});
  if (needs_protection_on_way_back(loaded, strategy)) {
    steps.back().undo = "Take the steps of \"to go back\" below, which protect the nodes first.";
    steps.back().undo_commands.clear();
  }
  add_reconciliation(shoot, cni, steps);
  if (strategy.deletes_pods)
    steps.push_back(
        {.place = StepPlace::Shoot,
         .action = fmt::format("Delete all pods of {} as soon as the DaemonSet has changed: the "
                               "first command ends when it has a new generation.",
                               cni.daemon_set),
         // A failed request prints nothing, and the comparison fails.
         .commands = {fmt::format("until [ \"$({})\" -gt \"${{GENERATION:?}}\" ]; do sleep 1; done",
                                  generation),
                      in_shoot(fmt::format("-n kube-system delete pod -l {}", cni.pod_selector))}});
  steps.push_back(wait_for_rollout(shoot, cni));
  add_end_of_loop(steps);
  if (loaded.transition.changes_ipam())
    steps.push_back(make_pods_again(
        "those from before the switch have addresses that calico-ipam does not know"));
  return steps;
}

}  // namespace

std::string_view to_string(StepPlace place) {
  switch (place) {
    case StepPlace::Shell:
      return "shell";
    case StepPlace::Garden:
      return "garden";
    case StepPlace::Shoot:
      return "shoot";
    case StepPlace::Cloud:
      return "cloud";
    case StepPlace::Landscape:
      return "landscape";
    case StepPlace::SecondShell:
      return "shoot, in a second shell";
  }
  return "";
}

std::string place_of(const std::string& command, StepPlace place) {
  const auto has = [&](std::string_view words) { return command.find(words) != command.npos; };
  if (place == StepPlace::SecondShell) return std::string(to_string(place));
  if (has(kOfGarden)) return "garden";
  if (!has(kOfShoot)) return std::string(to_string(place));
  return place == StepPlace::Cloud ? "shoot and cloud" : "shoot";
}

std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy,
                                         const std::vector<Condition>& conditions) {
  std::vector<OperatorStep> steps{prepare(loaded.transition.before)};
  for (const Condition& condition : conditions)
    steps.push_back(find_out(condition));
  std::vector<OperatorStep> own =
      loaded.transition.changes_families() ? family_steps(loaded) : mode_steps(loaded, strategy);
  steps.insert(steps.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
  return steps;
}

namespace {

/// The steps after the roll-out of the way back: the pods' MTU and addresses, routes, and what the
/// strategy's own steps have turned on.
std::vector<OperatorStep> clean_up(const Loaded& loaded, const Strategy& strategy) {
  const Transition& transition = loaded.transition;
  const std::uint32_t mtu = transition.before.dataplane.pod_mtu;
  std::vector<OperatorStep> steps;
  if (transition.changes_ipam())
    steps.push_back(make_pods_again(
        "those from after the switch may have addresses outside their node's pod CIDR"));
  else if (transition.after.dataplane.pod_mtu > mtu)
    steps.push_back(make_pods_again(fmt::format(
        "those made since the switch keep the MTU {}, and {} bytes fit: TCP adapts to ICMP errors, "
        "larger datagrams with DF are dropped",
        transition.after.dataplane.pod_mtu, mtu)));
  if (!unneeded_routes(transition.reversed()).empty())
    steps.push_back(delete_routes(transition.before));
  for (const OperatorStep& step : mode_steps(loaded, strategy)) {
    const bool is_gate = step.place == StepPlace::Landscape;
    const bool is_policy = step.undo == kPolicyOff && transition.to_routed();
    if (is_gate || is_policy)
      steps.push_back({.place = step.place, .action = step.undo, .commands = step.undo_commands});
  }
  return steps;
}

}  // namespace

std::vector<OperatorStep> steps_back(const Loaded& loaded, const Strategy& strategy) {
  const EffectiveDataplane& shoot = loaded.transition.before;
  const cni::Migration& cni = loaded.transition.cni();
  if (loaded.transition.changes_families())
    return {{.place = StepPlace::Garden,
             .action = "Change networking.ipFamilies back; then all nodes are replaced again.",
             .commands = change(shoot, patch_networking(shoot, loaded.patch_back)),
             .caution = caution_of_change(shoot)}};
  std::vector<OperatorStep> steps;
  if (needs_protection_on_way_back(loaded, strategy))
    steps.push_back(protect_conditions(shoot, true));
  if (cni.rolls_next_time) steps.push_back(keep_agents());
  steps.push_back(
      {.place = StepPlace::Garden,
       .action =
           loaded.goes_back()
               ? fmt::format("Change networking.providerConfig back. The outages are those of "
                             "a switch that is taken back {} after its begin.",
                             duration_text(loaded.disturbance->at))
               : fmt::format("Change networking.providerConfig back. This has outages of its "
                             "own{}.",
                             !simulates_rollback(loaded.transition.after)
                                 ? ", which are not simulated"
                             : loaded.disturbance
                                 ? ": to simulate them, give --disturb rollback@1h alone"
                                 : ": to simulate them, add --disturb rollback@1h to this command"),
       .commands = change(shoot, patch_networking(shoot, loaded.patch_back)),
       .caution = caution_of_change(shoot)});
  add_reconciliation(shoot, cni, steps);
  steps.push_back(wait_for_rollout(shoot, cni));
  add_end_of_loop(steps);
  std::vector<OperatorStep> rest = clean_up(loaded, strategy);
  steps.insert(steps.end(), std::move_iterator(rest.begin()), std::move_iterator(rest.end()));
  for (OperatorStep& step : steps) {  // The whole list takes the switch back.
    step.undo.clear();
    step.undo_commands.clear();
  }
  return steps;
}

}  // namespace overlane::migration
