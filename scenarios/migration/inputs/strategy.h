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

// Strategies and disturbances of a switch. A strategy is an order of steps that an operator can
// follow; some are built in, and a MigrationStrategy file describes others. A disturbance is
// another event during the switch, for example a rollback or a new node.

namespace overlane::migration {

struct Transition;

/// Whether an operator can follow a strategy with today's releases.
enum class Availability : std::uint8_t { Today, FeatureGate };

/// The condition for deploying the Network after the ControlPlane is ready.
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
  /// Something keeps calico-node from writing the nodes' condition NetworkUnavailable when it ends,
  /// or undoes the change at once.
  bool protects_conditions = false;
  /// The operator writes cloud routes by hand before the change of the Shoot.
  bool routes_before = false;
  /// maxUnavailable of the agents' DaemonSet (2 in the charts of both
  /// gardener-extension-networking-calico and -cilium).
  std::uint32_t max_unavailable = 2;
  /// The operator deletes all pods of the agent as soon as the DaemonSet has changed.
  bool deletes_pods = false;
  /// The source that shows that the strategy is available, or why it works.
  sources::Citation source;
};

/// Returns the strategy that a MigrationStrategy file describes.
Strategy strategy_of(const spec::MigrationStrategy& file);

/// The built-in strategies; the first is Gardener's order of today.
std::span<const Strategy> strategies();
/// Returns the built-in strategy of this name, or nullptr.
const Strategy* find_strategy(std::string_view name);

/// Returns why the switch cannot follow the strategy; empty if it can.
std::string unsuitable(const Strategy& strategy, const Transition& transition);
/// Returns the strategies that make sense for the switch. If `may_lose_nodes`, this includes
/// strategies whose only benefit is to protect the nodes' conditions.
std::vector<Strategy> usual_strategies(const Transition& transition, bool may_lose_nodes);

/// Reasons why usual_strategies() lacks strategies that other shoots have for this switch:
/// "seamless: the shoot's Kubernetes has no MutatingAdmissionPolicy, which it needs".
std::vector<std::string> why_unusual(const Transition& transition);

std::string_view to_string(Availability availability);

/// An event that disturbs a running switch.
struct Disturbance {
  enum class Kind : std::uint8_t {
    Rollback,    ///< The operator changes the Shoot back.
    ScaleUp,     ///< A node joins.
    WorkerRoll,  ///< All machines are replaced, one after another.
    Hibernate,   ///< All machines are deleted; new machines are created when the shoot wakes up.
  };
  Kind kind{};
  Picos at;  ///< Time since the change of the Shoot.
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
/// Number of nodes that join during the disturbance, in a cluster of `nodes` nodes.
std::uint32_t joining_nodes(Disturbance::Kind kind, std::uint32_t nodes);

/// "rollback@120 s".
std::string to_string(const Disturbance& disturbance);

/// Parses "rollback@120s". The error says what is wrong.
Result<Disturbance, std::string> parse_disturbance(std::string_view text);

}  // namespace overlane::migration
