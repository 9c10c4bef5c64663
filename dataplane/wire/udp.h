#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/result.h"

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

/// Drop::Malformed when the header is truncated, or its length is under 8 or beyond `segment`.
/// The checksum is left to the caller, who knows the addresses.
Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment);

/// Writes kUdpBytes to the front of `to`, the checksum as given.
void write(const UdpHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
