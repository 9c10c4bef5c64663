#pragma once

#include <cstdint>
#include <span>

#include "dataplane/byte_rewrite/packet_buffer.h"
#include "dataplane/forward/packet.h"

namespace overlane::byte_rewrite {

/// Writes the ICMP or ICMPv6 error that the node sends, of the length that `error` announces, with
/// so much of `cause` as it then quotes. The pointer of an ICMPv6 error shows where the number of
/// the protocol nobody takes, or the offset of a fragment, stands in `cause`, behind however many
/// extension headers.
void write_error(const forward::Packet& error, std::span<const std::uint8_t> cause,
                 PacketBuffer& to);

}  // namespace overlane::byte_rewrite
