#pragma once

#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/witness/placement.h"

namespace overlane::witness {

/// Fails with `unsupported-witness` if the network type is not modelled, or if the pods have no
/// addresses of the family.
Result<void> check_supported(const effective::EffectiveDataplane& shoot, Family family);

/// The states of a shoot without other shoots. Fails as compile::compile(), and with
/// `unsupported-witness` if its pods do not reach each other: no other shoot is the cause.
Result<compile::Compiled> compile_single_shoot(const Laid& laid, Family family);

/// Addresses of a side, ordered by node.
std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family);

}  // namespace overlane::witness
