#pragma once

#include <cstdint>
#include <span>

namespace overlane::testing {

/// The Internet checksum (RFC 1071) computed bit by bit, without code of net/checksum.h: each set
/// bit adds its weight, and each carry is added again.
inline std::uint16_t checksum_by_bits(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    if ((bytes[bit / 8] >> (7 - bit % 8) & 1) == 0) continue;
    sum += 1u << (15 - bit % 16);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return static_cast<std::uint16_t>(0xffff - sum);
}

}  // namespace overlane::testing
