#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kIpv6Bytes = 40;

/// The fixed IPv6 header (RFC 8200, section 3). What may stand between it and the upper layer is
/// read by ipv6_extension.h.
struct Ipv6Header {
  std::uint8_t traffic_class = 0;    ///< DSCP and ECN, as IPv4's TOS byte.
  std::uint32_t flow_label = 0;      ///< 20 bits.
  std::uint16_t payload_length = 0;  ///< What follows the 40 bytes, extension headers included.
  std::uint8_t next_header = 0;
  std::uint8_t hop_limit = 64;
  IpAddress source;
  IpAddress destination;

  auto operator<=>(const Ipv6Header&) const = default;
};

/// Reads the header at the front of `packet` and believes it no further than ip6_rcv_core does
/// (net/ipv6/ip6_input.c): Drop::Malformed when it is truncated, no version 6 or longer than
/// `packet`. So is an IPv4-mapped address, which IpAddress keeps for IPv4; Linux checks the source
/// alone. Bytes behind the payload length are link padding and no part of the packet.
Result<Ipv6Header, Drop> parse_ipv6(std::span<const std::uint8_t> packet);

/// The same for a header quoted in an ICMPv6 error, where the rest of the packet may be missing.
Result<Ipv6Header, Drop> parse_quoted_ipv6(std::span<const std::uint8_t> quote);

/// Writes kIpv6Bytes to the front of `to`, which must hold them.
void write(const Ipv6Header& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
