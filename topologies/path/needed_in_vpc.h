#pragma once

#include "topologies/path/needed.h"

namespace overlane::path {

/// What leads to the destination in the VPC, from the node `from`.
Needed needed_in_vpc(const compile::Compiled& states, std::uint32_t from, IpAddress destination);

/// For a packet that the VPC's own routes do not lead to anyone.
Needed needed_outside(const compile::Compiled& states, const Failure& failure);

/// For a packet whose next hop does not answer in the sender's subnet.
Needed needed_answer(const compile::Compiled& states, const Failure& failure);

/// For a packet that the VPC's groups do not let in.
Needed needed_filter(const node::FabricState& fabric, const Failure& failure);

}  // namespace overlane::path
