#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/forward/packet.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/net/drop.h"

namespace overlane::byte_rewrite {

// The single changes that ByteRewriter makes to bytes: put a tunnel's headers on, translate
// addresses and ports (NAT), cut into fragments and make whole again, write an ICMP error. Each
// takes the descriptor of the result and edits bytes and checksums to match it.

/// Puts the outer headers of `wrapped` in front of the packet in the buffer, as the encapsulation
/// of the device pushes them; the identification of an outer IPv4 header is left at 0. What push()
/// refuses: a tunnel that the packet itself forbids (RFC 2473 4.1.1) is Drop::TunnelLoop.
std::optional<Drop> wrap(const forward::Packet& wrapped, const forward::Wrapping& wrapping,
                         PacketBuffer& packet);

/// Gives a whole packet the addresses, ports or identifier of `after`, which is the same packet
/// behind NAT; an ICMP error also those in its quote. Checksums are corrected by the difference
/// (RFC 1624), in the quote as far as they are there; a UDP checksum of zero stays (RFC 768), as
/// nf_nat_manip_pkt and nf_nat_icmp_reply_translation do it (net/netfilter/nf_nat_proto.c).
void translate(std::span<std::uint8_t> packet, const forward::Packet& after);

/// Returns the bytes to send for the header `wanted`: `packet` with another hop limit,
/// identification or DF, changed in place, or a fragment of it, written to `buffer`. In a later
/// fragment of an IPv4 packet, options without the copied flag become no-operations (RFC 791 3.1;
/// ip_options_fragment, net/ipv4/ip_options.c). An IPv6 packet gets a fragment header; a fragment
/// keeps its own. Empty when `wanted` covers no part of `packet`.
std::span<std::uint8_t> fragment(std::span<std::uint8_t> packet, const forward::IpFields& wanted,
                                 PacketBuffer& buffer);

/// Gives what HeldBytes joined the fields of the whole that it is.
void make_whole(std::span<std::uint8_t> joined, const forward::IpFields& wanted);

/// Writes the ICMP or ICMPv6 error that the node sends, of the length that `error` announces, with
/// so much of `cause` as it then quotes. The pointer of an ICMPv6 error shows where the number of
/// the unsupported protocol, or the offset of a fragment, stands in `cause`, behind however many
/// extension headers.
void write_error(const forward::Packet& error, std::span<const std::uint8_t> cause,
                 PacketBuffer& to);

}  // namespace overlane::byte_rewrite
