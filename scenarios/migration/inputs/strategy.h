#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace overlane::migration {

/// Whether an operator can follow a strategy with today's releases.
enum class Availability : std::uint8_t { Today, FeatureGate };

/// What the Network waits for when the ControlPlane is ready.
enum class Gate : std::uint8_t {
  None,
  NodeRoutes,  ///< The condition NetworkUnavailable=False/RouteCreated on every node.
};

/// An order of the steps of a switch.
struct Strategy {
  std::string_view name;
  std::string_view summary;
  Availability availability = Availability::Today;
  Gate gate = Gate::None;
  /// Cloud routes are written by hand before the Shoot is changed.
  bool routes_before = false;
  /// Of the agents' DaemonSet (2 in the charts of both gardener-extension-networking-calico and
  /// -cilium).
  std::uint32_t max_unavailable = 2;
  /// All pods of the agent are deleted by hand as soon as the DaemonSet is changed.
  bool deletes_pods = false;
  std::string_view source;  ///< Of its availability.
};

/// The built-in strategies; today's order first.
std::span<const Strategy> strategies();
/// nullptr where there is none of this name.
const Strategy* find_strategy(std::string_view name);

std::string_view to_string(Availability availability);

}  // namespace overlane::migration
