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
// ranges, as far as its ranges allow. Gardener and Kubernetes could allocate them in this way; the
// necessary assumptions are listed.
namespace overlane::witness {

/// The addresses that a shoot's pod CIDRs or nodes need for a witness.
struct PlacementGoal {
  Target side = Target::Outside;  ///< Service and Outside: no addresses are needed.
  IpPrefix range;                 ///< Addresses of that side, or a single address.
  bool pods_too = false;  ///< For Target::Pod: whether pod addresses lie in the range, too, and not
                          ///< only pod CIDRs.
  /// Addresses of the other shoot's nodes, which this shoot's nodes do not get.
  std::vector<IpAddress> taken;
  /// Pod CIDRs of the other shoot. This shoot's are disjoint from them, except in the goal.
  std::vector<IpPrefix> taken_pod_cidrs;
};

/// A shoot's nodes and pods.
struct PlacedShoot {
  effective::EffectiveDataplane shoot;  ///< The range that overlaps the goal is the first one.
  graph::Topology topology;             ///< Two nodes if the ranges have room for them.
  std::vector<std::string> assumptions;
};

/// Places the shoot's pod CIDRs or nodes in the goal, as far as its ranges contain it; the caller
/// checks the result. `name` is the prefix of its nodes' names. Fails like Topology::build().
Result<PlacedShoot> lay_out(const effective::EffectiveDataplane& shoot, const std::string& name,
                            const PlacementGoal& goal);

// One shoot before its states are joined with another shoot's: it is compiled, and a check proves
// that its own pods reach each other. Without this check a packet could fail for reasons unrelated
// to the overlap. The finding `unsupported-witness` reports shoots that this folder does not model.

inline constexpr std::string_view kUnsupported = "unsupported-witness";

/// A note `unsupported-witness` about a shoot: the packet's outcome is not modelled.
tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint);

/// Fails with `unsupported-witness` if the network type is not modelled, or if the pods have no
/// addresses of the family.
Result<void> check_supported(const effective::EffectiveDataplane& shoot, Family family);

/// The states of a shoot without other shoots. Fails like compile::compile(), and with
/// `unsupported-witness` if its own pods do not reach each other, because no other shoot is the
/// cause.
Result<compile::Compiled> compile_single_shoot(const PlacedShoot& laid, Family family);

/// Addresses of one side of a shoot, ordered by node.
std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family);

}  // namespace overlane::witness
