#include "scenarios/migration/inputs/strategy.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/spec/optional_fields.h"

namespace overlane::migration {

namespace {

constexpr sources::Citation kDeletedPods =
    "Kubernetes documentation, rolling update of a DaemonSet: deleted pods are made again with the "
    "new template";

const std::vector<Strategy>& built_in() {
  static const std::vector<Strategy> strategies{
      Strategy{.name = "today",
               .summary = "the Network is deployed when the ControlPlane is ready",
               .source = "gardener/gardener pull request 13332; gardener/gardener pull request "
                         "13346"},
      Strategy{.name = "seamless",
               .summary = "the Network waits until every node has its cloud route",
               .availability = Availability::FeatureGate,
               .gate = Gate::NodeRoutes,
               .protects_conditions = true,
               .source = "gardener-extension-networking-calico pkg/features/features.go: "
                         "SeamlessOverlaySwitch"},
      Strategy{.name = "routes-first",
               .summary = "the cloud routes are created by hand before the Shoot is changed",
               .protects_conditions = true,
               .routes_before = true,
               .source =
                   "kubernetes/cloud-provider controllers/route/route_controller.go: routes that "
                   "are as it would write them stay"},
      Strategy{.name = "protect-first",
               .summary = "calico-node is kept from marking nodes as unavailable, else as today",
               .protects_conditions = true,
               .source = "gardener-extension-provider-aws pull request 1703"},
      Strategy{.name = "routes-first-delete-pods",
               .summary = "the cloud routes are created by hand, and later all pods are deleted",
               .protects_conditions = true,
               .routes_before = true,
               .deletes_pods = true,
               .source = kDeletedPods},
      Strategy{.name = "delete-pods",
               .summary = "all pods of the agent are deleted as soon as the DaemonSet is changed",
               .deletes_pods = true,
               .source = kDeletedPods},
      Strategy{.name = "seamless-delete-pods",
               .summary = "the Network waits for the cloud routes, then all pods are deleted",
               .availability = Availability::FeatureGate,
               .gate = Gate::NodeRoutes,
               .protects_conditions = true,
               .deletes_pods = true,
               .source = "gardener-extension-networking-calico pkg/features/features.go: "
                         "SeamlessOverlaySwitch"},
  };
  return strategies;
}

}  // namespace

Strategy strategy_of(const spec::MigrationStrategy& file) {
  const auto has = [&](spec::StrategyAction action) {
    return std::ranges::find(file.steps, action) != file.steps.end();
  };
  const bool waits = has(spec::StrategyAction::WaitForRoutes);
  return {.name = file.name,
          .summary = file.summary,
          .availability = waits ? Availability::FeatureGate : Availability::Today,
          .gate = waits ? Gate::NodeRoutes : Gate::None,
          .protects_conditions = has(spec::StrategyAction::ProtectNodeConditions),
          .routes_before = has(spec::StrategyAction::CreateRoutes),
          .max_unavailable = file.max_unavailable,
          .deletes_pods = has(spec::StrategyAction::DeletePods),
          .source = "--strategy: a MigrationStrategy file"};
}

std::span<const Strategy> strategies() {
  return built_in();
}

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(built_in(), name, &Strategy::name);
  return found == built_in().end() ? nullptr : &*found;
}

namespace {

/// The only order that Gardener has for this switch.
Strategy dual_stack_order() {
  return {.name = "today",
          .summary = "the infrastructure first, then all nodes, then the Network",
          .source =
              "gardener/gardener "
              "docs/usage/networking/dual-stack-networking-migration.md"};
}

}  // namespace

std::string unsuitable(const Strategy& strategy, const Transition& transition) {
  if (strategy.gate == Gate::NodeRoutes && transition.cni().route_gate.empty())
    return fmt::format("{}: {} has no feature gate with which it waits for cloud routes",
                       strategy.name, transition.after.cni);
  if (transition.changes_families() && strategy.name != dual_stack_order().name)
    return fmt::format("{}: a switch to or from dual-stack has one order of steps", strategy.name);
  const manifest::MutatingPolicies& policies = transition.before.mutating_policies;
  if (strategy.gate == Gate::NodeRoutes && !policies.enabled && policies.api.empty())
    return fmt::format("{}: the shoot's Kubernetes has no MutatingAdmissionPolicy, which {} needs",
                       strategy.name, transition.cni().route_gate);
  return "";
}

std::vector<Strategy> usual_strategies(const Transition& transition, bool may_lose_nodes) {
  if (transition.changes_families()) return {dual_stack_order()};
  std::vector<Strategy> usual;
  const bool needs_routes = !missing_routes(transition).empty();
  for (const Strategy& strategy : strategies()) {
    const bool concerns_routes = strategy.gate != Gate::None || strategy.routes_before;
    const bool only_protects = strategy.protects_conditions && !concerns_routes;
    if (unsuitable(strategy, transition).empty() && (needs_routes || !concerns_routes) &&
        (may_lose_nodes || !only_protects))
      usual.push_back(strategy);
  }
  return usual;
}

std::vector<std::string> why_unusual(const Transition& transition) {
  std::vector<std::string> reasons;
  if (transition.changes_families() || missing_routes(transition).empty()) return reasons;
  for (const Strategy& strategy : strategies())
    if (std::string why = unsuitable(strategy, transition); !why.empty())
      reasons.push_back(std::move(why));
  return reasons;
}

std::string_view to_string(Availability availability) {
  switch (availability) {
    case Availability::Today:
      return "today";
    case Availability::FeatureGate:
      return "feature-gate";
  }
  return "";
}

std::uint32_t joining_nodes(Disturbance::Kind kind, std::uint32_t nodes) {
  switch (kind) {
    case Disturbance::Kind::Rollback:
      return 0;
    case Disturbance::Kind::ScaleUp:
      return 1;
    case Disturbance::Kind::WorkerRoll:
    case Disturbance::Kind::Hibernate:
      return nodes;
  }
  return 0;
}

std::string to_string(const Disturbance& disturbance) {
  const auto* const known = std::ranges::find(
      kDisturbances, disturbance.kind, &std::pair<std::string_view, Disturbance::Kind>::second);
  constexpr Picos kMinute = seconds(60);
  const Picos at = disturbance.at;
  const bool is_minutes = at >= kMinute * 2 && at.count % kMinute.count == 0;
  return fmt::format("{}@{}", known->first,
                     is_minutes ? fmt::format("{}m", at.count / kMinute.count) : setting_text(at));
}

Result<Disturbance, std::string> parse_disturbance(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const auto* const known = std::ranges::find(
      kDisturbances, name, &std::pair<std::string_view, Disturbance::Kind>::first);
  if (known == kDisturbances.end())
    return fail(fmt::format("there is no disturbance \"{}\"", name));
  if (at == std::string_view::npos) return fail(fmt::format("\"{}\" has no time", text));
  const std::string_view duration = text.substr(at + 1);
  const auto time = spec::parse_duration_in("s", duration, spec::kMaxSwitchDuration);
  if (!time) return fail(fmt::format("\"{}\" is no duration: {}", duration, time.error()));
  return Disturbance{.kind = known->second, .at = *time};
}

}  // namespace overlane::migration
