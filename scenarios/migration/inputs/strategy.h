#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/spec/migration.h"
#include "topologies/sources/citation.h"

namespace overlane::migration {

struct Transition;

/// Whether an operator can follow a strategy with today's releases.
enum class Availability : std::uint8_t { Today, FeatureGate };

/// What the Network waits for when the ControlPlane is ready.
enum class Gate : std::uint8_t {
  None,
  NodeRoutes,  ///< The condition NetworkUnavailable=False/RouteCreated on every node.
};

/// An order of the steps of a switch.
struct Strategy {
  std::string name;
  std::string summary;
  Availability availability = Availability::Today;
  Gate gate = Gate::None;
  /// calico-node is kept from writing the nodes' condition NetworkUnavailable when it ends, or what
  /// it writes is undone at once.
  bool protects_conditions = false;
  /// Cloud routes are written by hand before the Shoot is changed.
  bool routes_before = false;
  /// maxUnavailable of the agents' DaemonSet (2 in the charts of both
  /// gardener-extension-networking-calico and -cilium).
  std::uint32_t max_unavailable = 2;
  /// All pods of the agent are deleted by hand as soon as the DaemonSet is changed.
  bool deletes_pods = false;
  sources::Citation source;  ///< Says that the strategy is available, or why it works.
};

/// What a MigrationStrategy file asks for.
Strategy strategy_of(const spec::MigrationStrategy& file);

/// The built-in strategies; today's order first.
std::span<const Strategy> strategies();
/// nullptr where there is none of this name.
const Strategy* find_strategy(std::string_view name);

/// Why the switch cannot follow the strategy; empty: it can.
std::string unsuitable(const Strategy& strategy, const Transition& transition);
/// The strategies that make sense for this switch; `may_lose_nodes`: so do those that only protect
/// the nodes' conditions.
std::vector<Strategy> usual_strategies(const Transition& transition, bool may_lose_nodes);

std::string_view to_string(Availability availability);

/// What happens in the middle of a switch.
struct Disturbance {
  enum class Kind : std::uint8_t {
    Rollback,    ///< The operator changes the Shoot back.
    ScaleUp,     ///< A node joins.
    WorkerRoll,  ///< All machines are replaced, one after another.
    Hibernate,   ///< All machines are deleted, and new ones made when the shoot is woken up.
  };
  Kind kind{};
  Picos at;  ///< After the change of the Shoot.
};

inline constexpr std::array<std::pair<std::string_view, Disturbance::Kind>, 4> kDisturbances{{
    {"rollback", Disturbance::Kind::Rollback},
    {"scale-up", Disturbance::Kind::ScaleUp},
    {"worker-roll", Disturbance::Kind::WorkerRoll},
    {"hibernate", Disturbance::Kind::Hibernate},
}};

/// True if the disturbance changes the Shoot, so that gardenlet reconciles it.
inline bool changes_shoot(Disturbance::Kind kind) {
  return kind != Disturbance::Kind::ScaleUp;
}
/// How many nodes join in the course of it, of a cluster of so many.
std::uint32_t joining_nodes(Disturbance::Kind kind, std::uint32_t nodes);

/// "rollback@120 s".
std::string to_string(const Disturbance& disturbance);

/// Parses "rollback@120s". Fails with what is wrong.
Result<Disturbance, std::string> parse_disturbance(std::string_view text);

}  // namespace overlane::migration
