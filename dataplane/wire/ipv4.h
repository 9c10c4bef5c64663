#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kIpv4Bytes = 20;

/// An IPv4 header (RFC 791). Options are skipped when read and never written.
struct Ipv4Header {
  std::uint8_t header_bytes = kIpv4Bytes;
  std::uint8_t tos = 0;
  std::uint16_t total_length = 0;
  std::uint16_t identification = 0;
  bool dont_fragment = false;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  ///< Bytes, a multiple of 8.
  std::uint8_t ttl = 64;
  std::uint8_t protocol = 0;
  Ipv4Address source;
  Ipv4Address destination;

  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  auto operator<=>(const Ipv4Header&) const = default;
};

/// Reads the header at the front of `packet` and believes it no further than ip_rcv_core does
/// (net/ipv4/ip_input.c): Drop::Malformed when it is truncated, no version 4, shorter than 20 bytes
/// or than its own length, or longer than `packet`; Drop::BadChecksum when that is wrong.
Result<Ipv4Header, Drop> parse_ipv4(std::span<const std::uint8_t> packet);

/// The same for a header quoted in an ICMP error, where the rest of the packet and perhaps a right
/// checksum are missing.
Result<Ipv4Header, Drop> parse_quoted_ipv4(std::span<const std::uint8_t> quote);

/// Writes 20 bytes with their checksum to the front of `to`, which must hold them.
void write(const Ipv4Header& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
