#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace overlane {

/// Network byte order at any alignment. The caller makes sure that the bytes are there.
inline std::uint16_t load_be16(const std::uint8_t* from) {
  return static_cast<std::uint16_t>(from[0] << 8 | from[1]);
}
inline std::uint32_t load_be24(const std::uint8_t* from) {
  return std::uint32_t{from[0]} << 16 | load_be16(from + 1);
}
inline std::uint32_t load_be32(const std::uint8_t* from) {
  return std::uint32_t{load_be16(from)} << 16 | load_be16(from + 2);
}
inline std::uint64_t load_be64(const std::uint8_t* from) {
  return std::uint64_t{load_be32(from)} << 32 | load_be32(from + 4);
}
inline void store_be16(std::uint8_t* to, std::uint32_t value) {
  const std::array bytes{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
  std::memcpy(to, bytes.data(), bytes.size());
}
inline void store_be24(std::uint8_t* to, std::uint32_t value) {
  *to = static_cast<std::uint8_t>(value >> 16);
  store_be16(to + 1, value);
}
inline void store_be32(std::uint8_t* to, std::uint32_t value) {
  store_be16(to, value >> 16);
  store_be16(to + 2, value);
}

inline void store_be64(std::uint8_t* to, std::uint64_t value) {
  store_be32(to, static_cast<std::uint32_t>(value >> 32));
  store_be32(to + 4, static_cast<std::uint32_t>(value));
}

}  // namespace overlane
