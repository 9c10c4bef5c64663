#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/migration/outages/other_traffic.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {

/// The result of one simulated switch. Times count from the change of the Shoot.
struct SwitchResult {
  std::vector<Step> steps;            ///< By time.
  std::vector<Outage> outages;        ///< Outages between pods of different nodes.
  std::vector<Outage> node_to_pod;    ///< Only with Watched::AllTraffic.
  std::vector<Outage> pod_to_node;    ///< Only with Watched::AllTraffic.
  std::vector<Outage> unmasqueraded;  ///< Queries from each node to upstream DNS that are not
                                      ///< masqueraded. Only with Watched::AllTraffic.
  /// Outages of datagrams with DF that fill the MTU of their pods, while smaller datagrams arrive.
  /// Only with Watched::AllTraffic.
  std::vector<Outage> full_size;
  std::vector<EndedConnection> ended;  ///< Only with Watched::AllTraffic.
  node::World end;                     ///< The world after the last change.
  Picos ended_at;                      ///< Time of the last action of a component.
  bool network_applied = false;        ///< False if the gate of the strategy never opened.
  /// Number of agent pods that were not replaced or are not ready.
  std::uint64_t unfinished_pods = 0;
  /// Nodes whose machines were replaced because of their condition NetworkUnavailable. Their
  /// outages are recorded as if their pods still ran on them.
  std::vector<std::uint32_t> replaced_nodes;
  Presence presence;                        ///< By node.
  std::optional<std::uint32_t> stuck_node;  ///< ClusterObjects::stuck_node.
};

/// The traffic whose outages a simulation records.
enum class Watched : std::uint8_t { Pods, AllTraffic };

struct SimulateOptions {
  Watched watched = Watched::Pods;
  std::optional<Disturbance> disturbance;
};

/// Returns the world at the start of the switch.
node::World world_at_start(const Transition& transition, const Strategy& strategy);

/// Receives the world at the start, with an empty change at time zero, and after each action.
using WorldObserver = std::function<void(const node::World&, const node::WorldChange&, Picos now)>;

/// Runs the components of a switch as simulate() does, and records no outages.
void follow_world(const Transition& transition, const Strategy& strategy, const Timing& timing,
                  std::uint64_t seed, const std::optional<Disturbance>& disturbance,
                  const WorldObserver& observe);

/// Simulates the switch until no component acts any more, or a week is over. The world changes only
/// when a component acts, and only the pairs of nodes that an action may affect are examined then.
/// The result depends on the arguments only.
SwitchResult simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                      std::uint64_t seed, const SimulateOptions& options = {});

}  // namespace overlane::migration
