#pragma once

#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/graph/topology.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

/// The addresses that a shoot's pod CIDRs or nodes need for a witness.
struct Goal {
  Target side = Target::Outside;  ///< Service and Outside: anywhere.
  IpPrefix range;                 ///< Addresses of that side, or one of them.
  bool pods_too = false;          ///< Of Pod: pod addresses are in it, too, not only pod CIDRs.
  /// Addresses of the other's nodes, which the shoot's nodes do not get.
  std::vector<IpAddress> taken;
  /// Pod CIDRs of the other shoot. The shoot's are disjoint from them, except in the goal.
  std::vector<IpPrefix> taken_pod_cidrs;
};

/// A shoot's nodes and pods.
struct Laid {
  effective::EffectiveDataplane shoot;  ///< The range that overlaps the goal is first.
  graph::Topology topology;             ///< Two nodes, if the ranges have room.
  std::vector<std::string> assumptions;
};

/// Places the shoot's pod CIDRs or nodes in the goal, as far as its ranges contain it; the caller
/// checks the result. `name` is the prefix of its nodes' names. Fails as Topology::build().
Result<Laid> lay_out(const effective::EffectiveDataplane& shoot, const std::string& name,
                     const Goal& goal);

}  // namespace overlane::witness
