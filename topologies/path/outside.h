#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::path {

/// Whether an address means the same everywhere (the IANA registries of special-purpose addresses;
/// those for documentation stand for any).
bool is_global(IpAddress address);

/// Whether anybody outside knows the way back to an address that instance `from` sends from: to
/// the instance's own (in IPv4 by the VPC's NAT), and to global IPv6 addresses that the VPC leads
/// to the instance, as pods have them.
bool is_known_outside(const node::FabricState& fabric, IpAddress source, std::uint32_t from);

/// Whether a packet that instance `from` sent leaves the VPC and may be answered: its route leads
/// out, its destination is a global address, and its source is known outside.
bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet, std::uint32_t from);

}  // namespace overlane::path
