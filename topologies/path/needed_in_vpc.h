#pragma once

#include "topologies/path/needed.h"

namespace overlane::path {

/// The VPC configuration that a packet from node `from` to the destination needs.
Needed needed_in_vpc(const compile::Compiled& states, std::uint32_t from, IpAddress destination);

/// For a packet without a usable route in the VPC.
Needed needed_outside(const compile::Compiled& states, const Failure& failure);

/// For a packet whose next hop does not answer in the sender's subnet.
Needed needed_answer(const compile::Compiled& states, const Failure& failure);

/// For a packet that a security group drops.
Needed needed_filter(const node::FabricState& fabric, const Failure& failure);

}  // namespace overlane::path
