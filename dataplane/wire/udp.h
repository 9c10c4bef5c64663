#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kUdpBytes = 8;

/// A UDP header (RFC 768).
struct UdpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t length = kUdpBytes;  ///< Header included.
  std::uint16_t checksum = 0;        ///< 0: none was computed.

  auto operator<=>(const UdpHeader&) const = default;
};

/// The header at the front of `segment` and what is wrong with its length. Nothing when there are
/// fewer than 8 bytes.
std::optional<Inspected<UdpHeader>> inspect_udp(std::span<const std::uint8_t> segment,
                                                ZeroLength zero = ZeroLength::Refused);

/// Drop::Malformed when the header is truncated, or its length is under 8 or beyond `segment`.
/// The checksum is left to the caller, who knows the addresses.
Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment,
                                  ZeroLength zero = ZeroLength::Refused);

/// The part of the bytes that belongs to the datagram of a parsed header: all of them for a length
/// of 0.
template <typename Byte>
std::span<Byte> datagram_of(const UdpHeader& header, std::span<Byte> segment) {
  return header.length == 0 ? segment : segment.first(header.length);
}

/// Writes kUdpBytes to the front of `to`, the checksum as given.
void write(const UdpHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
