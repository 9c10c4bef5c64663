#pragma once

#include <optional>

#include "dataplane/byte_rewrite/packet_buffer.h"
#include "dataplane/forward/decided.h"
#include "dataplane/net/drop.h"

namespace overlane::byte_rewrite {

/// Puts the outer headers of `wrapped` in front of the packet in the buffer, as the encapsulation
/// of the device pushes them; the identification of an outer IPv4 header is left at 0. What push()
/// refuses: a tunnel that the packet itself forbids (RFC 2473 4.1.1) is Drop::TunnelLoop.
std::optional<Drop> wrap(const forward::Packet& wrapped, const forward::Wrapping& wrapping,
                         PacketBuffer& packet);

}  // namespace overlane::byte_rewrite
