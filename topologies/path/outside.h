#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "dataplane/node/fabric_state.h"

namespace overlane::path {

/// Whether an address means the same everywhere (the IANA registries of special-purpose addresses;
/// those for documentation stand for any).
bool is_global(IpAddress address);

/// Whether a packet that instance `from` sent leaves the VPC and may be answered: its route leads
/// out, its destination is a global address, and its source is an address of the instance, since
/// outside nobody knows the way back to another one.
bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet, std::uint32_t from);

}  // namespace overlane::path
