#pragma once

#include <cstdint>
#include <vector>

#include "results/finding/result.h"
#include "scenarios/spec/scenario.h"
#include "sim/run/run.h"
#include "topologies/graph/topology.h"

namespace overlane::traffic {

/// The pods of a topology, by their addresses in one family.
struct Pods {
  const graph::Topology& topology;
  Family family;

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(topology.nodes().size()); }
  /// Pod `number` of a node, which has so many.
  run::PodEnd of(std::uint32_t node, std::uint32_t number = 0) const {
    const std::uint32_t pod = topology.pods_of(node).first + number;
    return {node, *topology.pods()[pod].address.in(family)};
  }
};

/// How many flows a pattern makes (spec::Pattern) of `nodes` ≥ 2.
std::uint64_t flows_of(const spec::Traffic& traffic, std::uint64_t nodes);

/// The pairs of pods that a pattern names, in an order that depends on nothing but the arguments;
/// each carries Traffic::flows flows, or of Pattern::HotSpot one. What is random is drawn from
/// `random`. An error where the topology does not have what the pattern needs; a note where no
/// pair of nodes stands as Traffic::zones asks.
Result<std::vector<run::PodPair>> pairs_of(const spec::Traffic& traffic, const Pods& pods,
                                           RandomStream random, Findings& notes);

}  // namespace overlane::traffic
