#pragma once

#include <string>
#include <vector>

#include "results/finding/result.h"
#include "topologies/graph/topology.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

/// Where a shoot's pod CIDRs or machines have to be for a witness.
struct Goal {
  Target side = Target::Outside;  ///< Service and Outside: anywhere.
  IpPrefix range;                 ///< Addresses of that side, or one of them.
  bool pods_too = false;          ///< Of Pod: pods' addresses lie in it, not their pod CIDRs only.
  /// Of the other's machines: none of the shoot's has one of them.
  std::vector<IpAddress> taken;
  /// Of the other's pods: the shoot's pod CIDRs stay apart from them, but for those of the goal.
  std::vector<IpPrefix> taken_pod_cidrs;
};

/// A shoot's nodes and pods.
struct Laid {
  effective::EffectiveDataplane shoot;  ///< With the range first that meets the goal.
  graph::Topology topology;             ///< Two nodes, if the ranges let it.
  std::vector<std::string> assumptions;
};

/// Lays the shoot out so that its pod CIDRs or machines reach the goal as far as its ranges do:
/// which of them do not is for the caller to see. `name` stands in front of its nodes' names. Fails
/// as Topology::build().
Result<Laid> lay_out(const effective::EffectiveDataplane& shoot, const std::string& name,
                     const Goal& goal);

}  // namespace overlane::witness
