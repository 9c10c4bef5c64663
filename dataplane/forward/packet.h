#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/address.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::forward {

/// IP protocol numbers (IANA) that the core looks at.
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kIpip = 4;
inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;

/// The fields of an IPv4 header (RFC 791) that decide anything. No options: the header has 20
/// bytes.
struct IpFields {
  IpAddress source;
  IpAddress destination;
  std::uint16_t identification = 0;
  std::uint16_t total_length = 0;     ///< Bytes, header included.
  std::uint16_t fragment_offset = 0;  ///< Bytes, a multiple of 8.
  bool dont_fragment = false;
  bool more_fragments = false;
  std::uint8_t protocol = 0;
  std::uint8_t ttl = 64;
  std::uint8_t tos = 0;  ///< DSCP in the upper six bits, ECN in the lower two (RFC 2474, RFC 3168).

  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  auto operator<=>(const IpFields&) const = default;
};

inline constexpr std::uint32_t kIpHeaderBytes = 20;
inline constexpr std::uint32_t kLargestPacket = 65535;

/// An ICMP error (RFC 792, RFC 1191) and the flow of the packet it quotes.
struct IcmpError {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint16_t next_hop_mtu = 0;  ///< For "fragmentation needed" (3/4).
  IpAddress quoted_source;
  IpAddress quoted_destination;
  std::uint8_t quoted_protocol = 0;
  std::uint16_t quoted_source_port = 0;
  std::uint16_t quoted_destination_port = 0;

  auto operator<=>(const IcmpError&) const = default;
};

/// A packet as the core sees it: the headers that decide, without the bytes. The simulator carries
/// these; the byte paths parse real packets into them.
struct Packet {
  IpFields inner;  ///< The pod's or node's own packet.
  /// Of `inner`; 0 where the protocol has none and in a later fragment.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::optional<IcmpError> icmp;  ///< Set when `inner` is an ICMP error.

  Encapsulation encapsulation = Encapsulation::None;
  /// Valid when encapsulated. In a later fragment of the outer packet all the other fields are
  /// hidden from whom it meets; they ride along for the node that puts the pieces together.
  IpFields outer;
  std::uint16_t outer_source_port = 0;  ///< VXLAN: the inner flow's hash in the local port range.
  std::uint16_t outer_destination_port = 0;  ///< VXLAN.
  std::uint32_t vni = 0;                     ///< VXLAN.

  bool is_encapsulated() const { return encapsulation != Encapsulation::None; }
  /// The header that the fabric sees.
  IpFields& outermost() { return is_encapsulated() ? outer : inner; }
  const IpFields& outermost() const { return is_encapsulated() ? outer : inner; }

  /// The inner flow as hashes see it.
  FlowKey flow() const {
    const bool ports = !inner.is_fragment();
    return {.source = inner.source,
            .destination = inner.destination,
            .source_port = ports ? source_port : std::uint16_t{0},
            .destination_port = ports ? destination_port : std::uint16_t{0},
            .protocol = inner.protocol};
  }

  auto operator<=>(const Packet&) const = default;
};

}  // namespace overlane::forward
