#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/witness/placement.h"

// A shoot alone, before it is joined with another: compiled, and checked that its own pods reach
// each other. Without this check a packet could fail for reasons that have nothing to do with the
// overlap. Also the finding `unsupported-witness`, by which this folder refuses shoots that it
// does not model.
namespace overlane::witness {

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
