#include "scenarios/migration/inputs/strategy.h"

#include <algorithm>
#include <array>

namespace overlane::migration {
namespace {

constexpr std::array kStrategies{
    Strategy{.name = "today",
             .summary = "the Network is deployed when the ControlPlane is ready",
             .source = "gardener, pkg/gardenlet/operation (pull requests 13332 and 13346)"},
    Strategy{.name = "seamless",
             .summary = "the Network waits until every node has its cloud route",
             .availability = Availability::FeatureGate,
             .gate = Gate::NodeRoutes,
             .source = "gardener-extension-networking-calico, feature gate SeamlessOverlaySwitch"},
    Strategy{.name = "routes-first",
             .summary = "the cloud routes are created by hand before the Shoot is changed",
             .routes_before = true,
             .source = "the route controllers keep routes that are as they would write them"},
    Strategy{.name = "routes-first-delete-pods",
             .summary = "the cloud routes are created by hand, and later all pods are deleted",
             .routes_before = true,
             .deletes_pods = true,
             .source = "kubectl delete pod: the DaemonSet makes them again with the new template"},
    Strategy{.name = "delete-pods",
             .summary = "all pods of the agent are deleted as soon as the DaemonSet is changed",
             .deletes_pods = true,
             .source = "kubectl delete pod: the DaemonSet makes them again with the new template"},
    Strategy{.name = "seamless-delete-pods",
             .summary = "the Network waits for the cloud routes, then all pods are deleted",
             .availability = Availability::FeatureGate,
             .gate = Gate::NodeRoutes,
             .deletes_pods = true,
             .source = "gardener-extension-networking-calico, feature gate SeamlessOverlaySwitch"},
};

}  // namespace

std::span<const Strategy> strategies() {
  return kStrategies;
}

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(kStrategies, name, &Strategy::name);
  return found == kStrategies.end() ? nullptr : &*found;
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

}  // namespace overlane::migration
