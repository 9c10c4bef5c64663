#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"
#include "topologies/witness/witness.h"

// Chooses nodes and pod CIDRs of one shoot so that its addresses lie in the intersection of two
// ranges, as far as its ranges allow. Gardener and Kubernetes could allocate them in this way; what
// had to be assumed is listed.
namespace overlane::witness {

/// The addresses that a shoot's pod CIDRs or nodes need for a witness.
struct PlacementGoal {
  Target side = Target::Outside;  ///< Service and Outside: anywhere.
  IpPrefix range;                 ///< Addresses of that side, or a single address.
  bool pods_too = false;  ///< For Target::Pod: pod addresses lie in the range, too. False: only
                          ///< pod CIDRs do.
  /// Addresses of the other's nodes, which the shoot's nodes do not get.
  std::vector<IpAddress> taken;
  /// Pod CIDRs of the other shoot. The shoot's are disjoint from them, except in the goal.
  std::vector<IpPrefix> taken_pod_cidrs;
};

/// A shoot's nodes and pods.
struct PlacedShoot {
  effective::EffectiveDataplane shoot;  ///< The range that overlaps the goal is first.
  graph::Topology topology;             ///< Two nodes, if the ranges have room.
  std::vector<std::string> assumptions;
};

/// Places the shoot's pod CIDRs or nodes in the goal, as far as its ranges contain it; the caller
/// checks the result. `name` is the prefix of its nodes' names. Fails as Topology::build().
Result<PlacedShoot> lay_out(const effective::EffectiveDataplane& shoot, const std::string& name,
                            const PlacementGoal& goal);

// One shoot before its states are joined with another shoot's: it is compiled, and a check proves
// that its own pods reach each other. Without this check a packet could fail for reasons unrelated
// to the overlap. The finding `unsupported-witness` reports shoots that this folder does not model.

inline constexpr std::string_view kUnsupported = "unsupported-witness";

/// A note of this rule about a shoot: the packet's outcome is not modelled.
tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint);

/// Fails with `unsupported-witness` if the network type is not modelled, or if the pods have no
/// addresses of the family.
Result<void> check_supported(const effective::EffectiveDataplane& shoot, Family family);

/// The states of a shoot without other shoots. Fails as compile::compile(), and with
/// `unsupported-witness` if its pods do not reach each other: no other shoot is the cause.
Result<compile::Compiled> compile_single_shoot(const PlacedShoot& laid, Family family);

/// Addresses of a side, ordered by node.
std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family);

}  // namespace overlane::witness
