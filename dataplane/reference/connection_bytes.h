#pragma once

#include <optional>

#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

/// The connection that the header in front and the one behind it show. Nothing when the transport
/// header is cut off or its checksum is wrong.
std::optional<node::ConntrackTuple> shown_tuple(const Bytes& packet);

/// The tuple of the packet that an ICMP error quotes, with zeros where the quote ends; nothing
/// about other packets, and when the error's checksum is wrong.
std::optional<node::ConntrackTuple> quoted_tuple(const Bytes& packet);

std::uint8_t tcp_flags_of(const Bytes& packet);

/// The packet with these addresses and ports (of ICMP: the identifier), its checksums computed
/// anew. A UDP checksum of zero stays.
Bytes with_tuple(Bytes packet, const node::ConntrackTuple& tuple);

/// The ICMP error between these addresses, about a packet of tuple `quoted`. What the quote does
/// not hold in full has its checksums corrected by the difference (RFC 1624).
Bytes with_quote(Bytes packet, IpAddress source, IpAddress destination,
                 const node::ConntrackTuple& quoted);

}  // namespace overlane::reference
