#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "sim/run/decide/flow_cache.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// WireGuard's padding hangs on the length of the packet inside: behind a kept decision it is put
/// on on the way out, and taken off on the way in.
void repad(PacketInFlight& flight, const CachedDecision& hop);

/// Whether a flight can hold the packet's padding, which is no more than WireGuard itself adds.
bool is_padding_kept(const forward::Packet& packet);

}  // namespace overlane::run
