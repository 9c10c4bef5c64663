#pragma once

#include <optional>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

// IP packets as bytes, for the byte path (reference.h): headers are parsed, changed, fragmented and
// reassembled in the slow and obvious way. Each function returns a new packet with a right IPv4
// header checksum. It shares the wire formats of dataplane/wire with the fast executors, and no
// decision.

/// Checks the header of an IPv4 or IPv6 packet as the kernel does. Returns the drop reason, if any.
std::optional<Drop> header_fault(const Bytes& packet);

/// The fields of the outermost IP header. Requires a packet that header_fault() accepts, or the
/// quote of an ICMP error.
forward::IpFields header_of(const Bytes& packet);

/// The offset of the payload, after options and extension headers.
std::size_t payload_at(const Bytes& packet);

/// The offset of a fragment's data, after the headers that each fragment repeats.
std::size_t fragment_at(const Bytes& fragment);

/// The whole packet with the headers of its first fragment and the payload `data`; fragment offset
/// and MF are 0.
Bytes reassembled(const Bytes& first, const Bytes& data);

/// Offset of the payload's protocol number in an IPv6 packet.
std::size_t next_header_at(const Bytes& packet);

/// The packet with a field set in its outermost IP header. with_identification() does not change
/// IPv6.
Bytes with_ttl(Bytes packet, std::uint8_t ttl);
Bytes with_tos(Bytes packet, std::uint8_t tos);
Bytes with_identification(Bytes packet, std::uint16_t identification);

/// The bytes from offset `from` to the end. Empty if there are fewer bytes.
Bytes tail(const Bytes& bytes, std::size_t from);

/// The packet without the bytes beyond the length in its header.
Bytes trimmed(Bytes packet);

/// Splits the packet into fragments of at most `mtu` bytes by RFC 791 and RFC 8200. IPv6 fragments
/// get `identification`; IPv4 fragments keep that of the packet.
std::vector<Bytes> fragments_of(const Bytes& packet, std::size_t mtu, std::uint32_t identification);

/// Splits the packet into fragments that end at `ends`, in bytes of the payload.
std::vector<Bytes> fragments_at(const Bytes& packet, const std::vector<std::uint32_t>& ends,
                                std::uint32_t identification);

/// The packet with DF unset.
Bytes without_df(Bytes packet);

/// An ICMP or ICMPv6 error about `cause`, with identification 0. nullopt if no error may be sent.
/// `detail` is the MTU or the pointer in the second word of the message.
std::optional<Bytes> icmp_about(const Bytes& cause, std::uint8_t type, std::uint8_t code,
                                std::uint32_t detail, IpAddress source);

}  // namespace overlane::reference
