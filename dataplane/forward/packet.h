#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/wire/ip.h"

namespace overlane::forward {

// The packet descriptor on which the model decides: the fields of the IP, TCP, UDP and ICMP headers
// that matter to a decision, and at most one tunnel around them (`outer`). It holds no payload. The
// simulator carries descriptors from node to node; read_packet.h makes one from bytes, and
// reference::encode makes bytes from one.

/// IP protocol numbers that the model distinguishes.
using wire::kIcmp;
using wire::kIcmpv6;
using wire::kIpv6InIp;
using wire::kTcp;
using wire::kUdp;
inline constexpr std::uint8_t kIpip = wire::kIpv4InIp;

/// Returns whether the protocol has ports.
constexpr bool has_ports(std::uint8_t protocol) {
  return protocol == kTcp || protocol == kUdp;
}

/// Header sizes in bytes: an IPv4 header without options (RFC 791), an IPv6 header (RFC 8200), the
/// fragment header of an IPv6 fragment, and a UDP header.
inline constexpr std::uint32_t kIpv4HeaderBytes = 20;
inline constexpr std::uint32_t kIpv6HeaderBytes = 40;
inline constexpr std::uint32_t kIpv6FragmentHeaderBytes = 8;
inline constexpr std::uint32_t kUdpHeaderBytes = 8;

/// The fields of an IPv4 or IPv6 header that matter to decisions. The addresses tell the family.
struct IpFields {
  IpAddress source;
  IpAddress destination;
  std::uint32_t identification = 0;   ///< IPv4: 16 bits. IPv6: 32 bits, in fragments only.
  std::uint32_t total_length = 0;     ///< Bytes, all headers included.
  std::uint32_t flow_label = 0;       ///< IPv6: 20 bits.
  std::uint16_t fragment_offset = 0;  ///< Bytes, a multiple of 8.
  /// Bytes of further headers that every fragment repeats. IPv4: options. IPv6: the extension
  /// headers in front of the fragment header (or of its place), without those that an encapsulation
  /// adds.
  std::uint16_t option_bytes = 0;
  bool dont_fragment = false;  ///< IPv4.
  bool more_fragments = false;
  std::uint8_t protocol = 0;  ///< IPv6: protocol of the upper layer, behind all extension headers.
  std::uint8_t ttl = 64;      ///< IPv6: hop limit.
  /// Traffic class: DSCP in the upper six bits, ECN in the lower two (RFC 2474, RFC 3168).
  std::uint8_t tos = 0;

  Family family() const { return destination.family(); }
  bool is_ipv4() const { return destination.is_ipv4(); }
  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  /// Returns whether only the sender may fragment the packet.
  bool must_stay_whole() const { return dont_fragment || !is_ipv4(); }
  std::uint32_t header_bytes() const {
    if (is_ipv4()) return kIpv4HeaderBytes + option_bytes;
    return kIpv6HeaderBytes + option_bytes + (is_fragment() ? kIpv6FragmentHeaderBytes : 0);
  }
  std::uint32_t payload_bytes() const { return total_length - header_bytes(); }
  bool is_icmp() const { return protocol == (is_ipv4() ? kIcmp : kIcmpv6); }

  auto operator<=>(const IpFields&) const = default;
};

/// Returns the size of the largest packet in bytes: 65,535, in IPv6 plus the header.
constexpr std::uint32_t largest_packet(Family family) {
  return family == Family::Ipv4 ? 65535 : 65535 + kIpv6HeaderBytes;
}

/// Content of an ICMP error. The ports that it quotes follow the rules of Packet::source_port.
using node::IcmpError;

/// Descriptor of one packet: its inner headers, and the outer ones if a tunnel carries it.
struct Packet {
  IpFields inner;  ///< Header of the packet that a pod or a node has sent.
  /// Ports of `inner` with TCP or UDP. An ICMP message other than an error has its identifier as
  /// source port, and type * 256 + code as destination port, like connection tracking
  /// (node::ConntrackTuple). 0 in all other packets and in later fragments.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0;     ///< The low eight flag bits (RFC 9293 3.1).
  std::optional<IcmpError> icmp;  ///< Set when `inner` is an ICMP error.
  /// The transport header of `inner` has a wrong checksum or length, so that connection tracking
  /// treats the packet as invalid. Only packets that were read from bytes can have it set.
  bool transport_fault = false;

  Encapsulation encapsulation = Encapsulation::None;
  /// Why the node that decapsulates this packet drops it: a fault of the outer UDP header, and a
  /// fault behind it. Only packets that were read from bytes have these. With a fault the fields of
  /// `inner` are incomplete.
  std::optional<Drop> udp_fault;
  std::optional<Drop> inner_fault;
  /// The outer header; valid if encapsulated. In a later fragment of an outer packet, routers and
  /// nodes cannot see the fields below and `inner`. The descriptor keeps them for the node that
  /// reassembles the packet.
  IpFields outer;
  // For VXLAN, Geneve and WireGuard:
  std::uint16_t outer_source_port = 0;  ///< Hash of the inner flow, except in WireGuard.
  std::uint16_t outer_destination_port = 0;
  std::uint32_t vni = 0;  ///< WireGuard: the receiver's session index.
  /// WireGuard: bytes of padding behind `inner`.
  std::uint16_t padding = 0;

  bool is_encapsulated() const { return encapsulation != Encapsulation::None; }
  /// Returns the bytes of the whole outer packet. Requires an encapsulated packet.
  std::uint32_t wrapped_bytes() const {
    return inner.total_length + overhead(encapsulation, outer.family()) + padding;
  }
  /// Returns the header that the fabric sees.
  IpFields& outermost() { return is_encapsulated() ? outer : inner; }
  const IpFields& outermost() const { return is_encapsulated() ? outer : inner; }

  /// Returns the flow of `inner` that hashes use.
  FlowKey flow() const {
    const bool ports = has_ports(inner.protocol) && !inner.is_fragment();
    return {.source = inner.source,
            .destination = inner.destination,
            .source_port = ports ? source_port : std::uint16_t{0},
            .destination_port = ports ? destination_port : std::uint16_t{0},
            .protocol = inner.protocol};
  }

  auto operator<=>(const Packet&) const = default;
};

}  // namespace overlane::forward
