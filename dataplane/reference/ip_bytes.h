#pragma once

#include <optional>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

/// Checks the header of an IPv4 or IPv6 packet as the kernel does. The reason of the drop, if any.
std::optional<Drop> header_fault(const Bytes& packet);

/// The header in front of a packet that was already found to be sound, or that an ICMP error
/// quotes.
forward::IpFields header_of(const Bytes& packet);

/// The offset of the payload, after options and extension headers.
std::size_t payload_at(const Bytes& packet);

/// The offset of a fragment's data, after the headers that each fragment repeats.
std::size_t fragment_at(const Bytes& fragment);

/// The whole that begins with this fragment: its data gives way to `data`, offset and MF are unset.
Bytes reassembled(const Bytes& first, const Bytes& data);

/// Offset of the payload's protocol number in an IPv6 packet.
std::size_t next_header_at(const Bytes& packet);

/// The packet with these fields set in the header in front.
Bytes with_ttl(Bytes packet, std::uint8_t ttl);
Bytes with_tos(Bytes packet, std::uint8_t tos);
Bytes with_identification(Bytes packet, std::uint16_t identification);

/// The bytes from offset `from` to the end. Empty if there are fewer bytes.
Bytes tail(const Bytes& bytes, std::size_t from);

/// The packet without the bytes beyond the length in its header.
Bytes trimmed(Bytes packet);

/// The fragmentation of RFC 791 and RFC 8200, fragment by fragment. IPv6 fragments of a whole
/// packet take `identification`.
std::vector<Bytes> fragments_of(const Bytes& packet, std::size_t mtu, std::uint32_t identification);

/// Fragments of the packet that end at `ends`, in bytes of the payload.
std::vector<Bytes> fragments_at(const Bytes& packet, const std::vector<std::uint32_t>& ends,
                                std::uint32_t identification);

/// The packet with DF unset.
Bytes without_df(Bytes packet);

/// An ICMP or ICMPv6 error about `cause`, with identification 0. nullopt if no error may be sent.
/// `detail` is the MTU or the pointer in the second word of the message.
std::optional<Bytes> icmp_about(const Bytes& cause, std::uint8_t type, std::uint8_t code,
                                std::uint32_t detail, IpAddress source);

}  // namespace overlane::reference
