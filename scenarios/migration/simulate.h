#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/migration/outages/other_traffic.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {

/// What became of a switch.
struct Course {
  std::vector<Step> steps;            ///< By time.
  std::vector<Outage> outages;        ///< Outages between pods of different nodes.
  std::vector<Outage> node_to_pod;    ///< Only with Watched::AllTraffic.
  std::vector<Outage> pod_to_node;    ///< Only with Watched::AllTraffic.
  std::vector<Outage> unmasqueraded;  ///< Queries of each node to upstream DNS, with AllTraffic.
  /// Outages of pods' datagrams of their MTU with DF where smaller ones arrive. Only with
  /// Watched::AllTraffic.
  std::vector<Outage> full_size;
  std::vector<EndedConnection> ended;  ///< Only with Watched::AllTraffic.
  node::World end;                     ///< The world when nothing happens any more.
  Picos ended_at;                      ///< When the last component acted.
  bool network_applied = false;        ///< False if its gate never opened.
  std::uint64_t unfinished_pods = 0;   ///< Agent pods that are not replaced and ready.
  /// Nodes whose machines were replaced because of their conditions. Their outages go on as if
  /// their pods still ran on them.
  std::vector<std::uint32_t> replaced_nodes;
  Presence presence;                        ///< For each node.
  std::optional<std::uint32_t> stuck_node;  ///< ClusterObjects::stuck_node.
};

/// Which traffic's outages a simulation notes.
enum class Watched : std::uint8_t { Pods, AllTraffic };

struct SimulateOptions {
  Watched watched = Watched::Pods;
  std::optional<Disturbance> disturbance;
};

/// The states in which the switch begins.
node::World world_at_start(const Transition& transition, const Strategy& strategy);

/// Simulates the switch until nothing happens any more, or a week is over. Between two acts of
/// components nothing changes, so that only the pairs that an act may concern are looked at.
Course simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                std::uint64_t seed, const SimulateOptions& options = {});

}  // namespace overlane::migration
