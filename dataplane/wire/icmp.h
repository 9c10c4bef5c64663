#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kIcmpBytes = 8;

inline constexpr std::uint8_t kIcmpUnreachable = 3;
inline constexpr std::uint8_t kIcmpTimeExceeded = 11;
inline constexpr std::uint8_t kIcmpFragmentationNeeded = 4;  ///< Code of kIcmpUnreachable.

/// The fixed part of an ICMP message (RFC 792).
struct IcmpHeader {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint16_t next_hop_mtu = 0;  ///< Of "fragmentation needed" (RFC 1191); else 0.

  /// Whether the message is an error that quotes a packet: never answered with another.
  bool is_error() const { return type == kIcmpUnreachable || type == kIcmpTimeExceeded; }
  auto operator<=>(const IcmpHeader&) const = default;
};

/// A whole message. Drop::Malformed when it is truncated, Drop::BadChecksum when that is wrong.
Result<IcmpHeader, Drop> parse_icmp(std::span<const std::uint8_t> message);

/// Writes the 8 bytes at the front of `message` with the checksum of all of it: what follows them
/// must already be there.
void write(const IcmpHeader& header, std::span<std::uint8_t> message);

}  // namespace overlane::wire
