#pragma once

#include <optional>
#include <vector>

#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/ipv4.h"

namespace overlane::reference {

/// The header in front of a packet that was already found to be sound.
wire::Ipv4Header header_of(const Bytes& packet);

/// The packet with another header in front.
Bytes with_header(Bytes packet, const wire::Ipv4Header& header);

/// RFC 791's fragmentation, piece by piece.
std::vector<Bytes> fragments_of(const Bytes& packet, std::size_t mtu);

/// A fragmentation-needed, unreachable or time-exceeded message about `cause`, with identification
/// 0; nothing when there must be none.
std::optional<Bytes> icmp_about(const Bytes& cause, std::uint8_t type, std::uint8_t code,
                                std::uint16_t mtu, IpAddress source);

}  // namespace overlane::reference
