#pragma once

#include <cstdint>
#include <span>

#include "dataplane/byte_rewrite/packet_buffer.h"
#include "dataplane/forward/packet.h"

namespace overlane::byte_rewrite {

/// Returns the bytes to send for the header `wanted`: `packet` with another hop limit,
/// identification or DF, changed in place, or a fragment of it, written to `buffer`. In a later
/// fragment of an IPv4 packet, options without the copied flag become no-operations (RFC 791 3.1;
/// ip_options_fragment, net/ipv4/ip_options.c). An IPv6 packet gets a fragment header; a fragment
/// keeps its own. Empty when `wanted` covers no part of `packet`.
std::span<std::uint8_t> fragment(std::span<std::uint8_t> packet, const forward::IpFields& wanted,
                                 PacketBuffer& buffer);

/// Gives what HeldBytes joined the fields of the whole that it is.
void make_whole(std::span<std::uint8_t> joined, const forward::IpFields& wanted);

}  // namespace overlane::byte_rewrite
