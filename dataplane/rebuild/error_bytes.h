#pragma once

#include <cstdint>
#include <span>

#include "dataplane/forward/packet.h"
#include "dataplane/rebuild/packet_buffer.h"

namespace overlane::rebuild {

/// Writes the ICMP or ICMPv6 error that the node sends, of the length that `error` announces, with
/// so much of `cause` as it then quotes. The pointer of an ICMPv6 error shows where the number of
/// the protocol nobody takes, or the offset of a fragment, stands in `cause`, behind however many
/// extension headers.
void write_error(const forward::Packet& error, std::span<const std::uint8_t> cause,
                 PacketBuffer& to);

}  // namespace overlane::rebuild
