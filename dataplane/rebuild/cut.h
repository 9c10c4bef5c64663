#pragma once

#include <cstdint>
#include <span>

#include "dataplane/forward/packet.h"
#include "dataplane/rebuild/packet_buffer.h"

namespace overlane::rebuild {

/// The bytes that leave for the header `wanted`, which is that of `packet` on its way: with another
/// hop limit, identification or DF, or that of a fragment of it. They lie in `packet`, which is
/// then changed in place, or in `piece`. A later fragment of an IPv4 packet has no operations
/// instead of options without the copied flag (RFC 791 3.1; ip_options_fragment,
/// net/ipv4/ip_options.c). An IPv6 packet gets a fragment header, a fragment of one keeps its own.
/// Nothing when `wanted` is of no part of `packet`.
std::span<std::uint8_t> cut(std::span<std::uint8_t> packet, const forward::IpFields& wanted,
                            PacketBuffer& piece);

/// Gives what HeldBytes joined the fields of the whole that it is.
void make_whole(std::span<std::uint8_t> joined, const forward::IpFields& wanted);

}  // namespace overlane::rebuild
