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

// The packet descriptor on which the model decides: the fields of the IP, TCP, UDP and ICMP
// headers that matter to a decision, and at most one tunnel around them (`outer`). It holds no
// payload. The simulator carries descriptors from node to node; read_packet.h makes one from
// bytes, and reference::encode makes bytes from one.

/// IP protocol numbers that the core looks at.
using wire::kIcmp;
using wire::kIcmpv6;
using wire::kIpv6InIp;
using wire::kTcp;
using wire::kUdp;
inline constexpr std::uint8_t kIpip = wire::kIpv4InIp;

/// Whether ports distinguish the protocol's flows.
constexpr bool has_ports(std::uint8_t protocol) {
  return protocol == kTcp || protocol == kUdp;
}

/// Header bytes in front of the payload: an IPv4 header without options (RFC 791); an IPv6 header
/// (RFC 8200), in a fragment with the fragment header.
inline constexpr std::uint32_t kIpv4HeaderBytes = 20;
inline constexpr std::uint32_t kIpv6HeaderBytes = 40;
inline constexpr std::uint32_t kIpv6FragmentHeaderBytes = 8;
inline constexpr std::uint32_t kUdpHeaderBytes = 8;

/// The fields of an IPv4 or IPv6 header that decide anything; the addresses say which it is.
struct IpFields {
  IpAddress source;
  IpAddress destination;
  std::uint32_t identification = 0;   ///< 16 bits; in IPv6 32 bits and of fragments only.
  std::uint32_t total_length = 0;     ///< Bytes, all headers included.
  std::uint32_t flow_label = 0;       ///< IPv6: 20 bits.
  std::uint16_t fragment_offset = 0;  ///< Bytes, a multiple of 8.
  /// What each fragment has besides: IPv4 options; IPv6 extension headers in front of where the
  /// fragment header is or would be, without those that an encapsulation puts there.
  std::uint16_t option_bytes = 0;
  bool dont_fragment = false;  ///< IPv4.
  bool more_fragments = false;
  std::uint8_t protocol = 0;  ///< IPv6: the upper layer's, behind extension headers.
  std::uint8_t ttl = 64;      ///< IPv6: hop limit.
  /// Traffic class: DSCP in the upper six bits, ECN in the lower two (RFC 2474, RFC 3168).
  std::uint8_t tos = 0;

  Family family() const { return destination.family(); }
  bool is_ipv4() const { return destination.is_ipv4(); }
  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  /// Whether only its sender may cut it.
  bool must_stay_whole() const { return dont_fragment || !is_ipv4(); }
  std::uint32_t header_bytes() const {
    if (is_ipv4()) return kIpv4HeaderBytes + option_bytes;
    return kIpv6HeaderBytes + option_bytes + (is_fragment() ? kIpv6FragmentHeaderBytes : 0);
  }
  std::uint32_t payload_bytes() const { return total_length - header_bytes(); }
  bool is_icmp() const { return protocol == (is_ipv4() ? kIcmp : kIcmpv6); }

  auto operator<=>(const IpFields&) const = default;
};

/// The largest packet: 65,535 bytes, behind an IPv6 header.
constexpr std::uint32_t largest_packet(Family family) {
  return family == Family::Ipv4 ? 65535 : 65535 + kIpv6HeaderBytes;
}

/// What an ICMP error says. Its ports are those of Packet::source_port.
using node::IcmpError;

/// A packet as the core sees it: the headers that decide, without the bytes. The simulator carries
/// these; the byte paths parse real packets into them.
struct Packet {
  IpFields inner;  ///< The pod's or node's own packet.
  /// Ports of `inner` with TCP or UDP. An ICMP message that is no error has its identifier and type
  /// · 256
  /// + code here, as connection tracking has them (node::ConntrackTuple). Else 0, also in a later
  /// fragment.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0;     ///< RFC 9293 3.1, the low eight.
  std::optional<IcmpError> icmp;  ///< Set when `inner` is an ICMP error.
  /// Connection tracking takes the transport header of `inner` for invalid: its checksum or length
  /// is wrong. For who reads packets from bytes.
  bool transport_fault = false;

  Encapsulation encapsulation = Encapsulation::None;
  /// Why the node that a tunnel packet is for drops it when it looks at the outer UDP header, and
  /// at what is behind that: for who reads packets from bytes. `inner` then says nothing.
  std::optional<Drop> udp_fault;
  std::optional<Drop> inner_fault;
  /// Valid when encapsulated. In a later fragment of the outer packet all the other fields are
  /// hidden from whom it meets; they ride along for the node that puts the fragments together.
  IpFields outer;
  // VXLAN, Geneve and WireGuard.
  std::uint16_t outer_source_port = 0;  ///< Stands for the inner flow, but in WireGuard.
  std::uint16_t outer_destination_port = 0;
  std::uint32_t vni = 0;  ///< WireGuard: the receiver's index.
  /// WireGuard: bytes of padding behind `inner`.
  std::uint16_t padding = 0;

  bool is_encapsulated() const { return encapsulation != Encapsulation::None; }
  /// Bytes of the whole outer packet, when encapsulated.
  std::uint32_t wrapped_bytes() const {
    return inner.total_length + overhead(encapsulation, outer.family()) + padding;
  }
  /// The header that the fabric sees.
  IpFields& outermost() { return is_encapsulated() ? outer : inner; }
  const IpFields& outermost() const { return is_encapsulated() ? outer : inner; }

  /// The inner flow as hashes see it.
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
