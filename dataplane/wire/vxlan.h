#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kVxlanBytes = 8;

/// A VXLAN header (RFC 7348, section 5).
struct VxlanHeader {
  std::uint32_t vni = 0;  ///< 24 bits.

  auto operator<=>(const VxlanHeader&) const = default;
};

/// Drop::Malformed when it is truncated or the I flag is clear. Reserved bits are ignored, as
/// RFC 7348 asks of receivers.
Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload);

/// Writes kVxlanBytes to the front of `to`.
void write(const VxlanHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
