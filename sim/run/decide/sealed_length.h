#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"
#include "sim/run/decide/flow_cache.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// WireGuard's padding depends on the inner length, so a cached decision adds it when sending and
/// removes it when receiving.
void repad(PacketInFlight& flight, const CachedDecision& hop);

/// Whether a flight can hold the packet's padding, which is no more than WireGuard itself adds.
bool is_padding_kept(const forward::Packet& packet);

}  // namespace overlane::run
