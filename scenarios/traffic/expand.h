#pragma once

#include <cstdint>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/spec/scenario.h"
#include "sim/run/run.h"
#include "topologies/graph/topology.h"

namespace overlane::traffic {

/// The pods of a topology, by their addresses in one family.
struct Pods {
  const graph::Topology& topology;
  Family family;

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(topology.nodes().size()); }
  /// Pod `number` of a node.
  run::PodEnd of(std::uint32_t node, std::uint32_t number = 0) const {
    const std::uint32_t pod = topology.pods_of(node).first + number;
    return {node, *topology.pods()[pod].address.in(family)};
  }
};

/// Number of flows of a pattern (spec::Pattern) with `nodes` ≥ 2.
std::uint64_t flows_of(const spec::Traffic& traffic, std::uint64_t nodes);

/// The pairs of a pattern, in an order that depends only on the arguments. Each pair has
/// Traffic::flows flows; with Pattern::HotSpot each has one. Random choices use `random`. An error
/// if the topology is too small for the pattern; a note if no pair of nodes matches Traffic::zones.
Result<std::vector<run::PodPair>> pairs_of(const spec::Traffic& traffic, const Pods& pods,
                                           RandomStream random, Findings& notes);

/// Expands each traffic group to pairs of pods or nodes and their traffic, in an IP family of the
/// topology, which has at least two nodes. Random choices depend on `seed` and the group's index.
/// If `zones: same` or `different` is impossible, uses any pair and adds a note to `notes`.
Result<std::vector<run::TrafficGroup>> expand(const std::vector<spec::Traffic>& traffic,
                                              const graph::Topology& topology, Family family,
                                              std::uint64_t seed, Findings& notes);

}  // namespace overlane::traffic
