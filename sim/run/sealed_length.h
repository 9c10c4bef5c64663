#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "dataplane/node/node_state.h"
#include "sim/run/flight.h"
#include "sim/run/trail.h"

namespace overlane::run {

/// WireGuard's padding hangs on the length of the packet inside: behind a kept decision it is put
/// on on the way out, and taken off on the way in.
void repad(Flight& flight, const Hop& hop);

/// Whether a flight can hold the packet's padding, which is no more than WireGuard itself adds.
bool is_padding_kept(const forward::Packet& packet);

/// The MTU of the route by which a packet got into WireGuard; 0 when there is none any more.
std::uint32_t sealing_mtu(const node::NodeState& state, const forward::Packet& sealed);

}  // namespace overlane::run
