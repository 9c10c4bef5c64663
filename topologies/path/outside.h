#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::path {

/// Whether external hosts can answer an address that instance `from` sends from: the instance's own
/// (IPv4: through the VPC's NAT), and global IPv6 addresses that the VPC routes to the instance,
/// such as pods'.
bool is_known_outside(const node::FabricState& fabric, IpAddress source, std::uint32_t from);

/// Whether a packet from instance `from` leaves the VPC and can be answered: its route leads out,
/// its destination is global, and its source is reachable from outside.
bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet, std::uint32_t from);

}  // namespace overlane::path
