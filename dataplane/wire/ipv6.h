#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

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

/// The header at the front of `packet` and what is wrong with it: problems of version, length and
/// addresses. Nothing when there are fewer than 40 bytes.
std::optional<Inspected<Ipv6Header>> inspect_ipv6(std::span<const std::uint8_t> packet);

/// Reads the header at the front of `packet` and believes it no further than ip6_rcv_core does
/// (net/ipv6/ip6_input.c): Drop::Malformed when it is truncated, no version 6 or longer than
/// `packet`. So is an IPv4-mapped address, the form that IpAddress keeps for IPv4: no host has one,
/// and it would match IPv4 routes. (Linux dropped such sources from 5.4 to 5.11; now TCP does.)
/// Bytes behind the payload length are link padding and no part of the packet.
Result<Ipv6Header, Drop> parse_ipv6(std::span<const std::uint8_t> packet);

/// The same for a header quoted in an ICMPv6 error, where the rest of the packet may be missing.
Result<Ipv6Header, Drop> parse_quoted_ipv6(std::span<const std::uint8_t> quote);

/// The part of the bytes that belongs to the packet of a parsed header: without link padding. With
/// ZeroLength::MeansFrame a payload length of 0 makes it all of them, which is right for the GSO
/// super-packets of a capture (with a jumbo payload option before Linux 7.0, without one since).
template <typename Byte>
std::span<Byte> packet_of(const Ipv6Header& header, std::span<Byte> bytes,
                          ZeroLength zero = ZeroLength::Refused) {
  if (header.payload_length == 0 && zero == ZeroLength::MeansFrame) return bytes;
  return bytes.first(kIpv6Bytes + header.payload_length);
}

/// Writes kIpv6Bytes to the front of `to`, which must hold them.
void write(const Ipv6Header& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
