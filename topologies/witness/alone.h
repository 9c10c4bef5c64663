#pragma once

#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/witness/placement.h"

namespace overlane::witness {

/// `unsupported-witness` where nobody here knows what nodes of the shoot have, or its pods have no
/// addresses of the family.
Result<void> check_known(const effective::EffectiveDataplane& shoot, Family family);

/// The states of a shoot that meets nobody yet. Fails as compile::compile(), and with
/// `unsupported-witness` where its pods do not reach each other then: what a shoot does to itself
/// is not for another one to answer for.
Result<compile::Compiled> compile_alone(const Laid& laid, Family family);

/// Addresses of a side in the order of the nodes.
std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family);

}  // namespace overlane::witness
