#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace overlane {

// Byte order and unaligned access to packet bytes. All functions compile to a few instructions. The
// caller guarantees that the bytes at `from` and `to` exist.

/// Converts host to network byte order, and back.
constexpr std::uint16_t network_order(std::uint16_t value) {
  return std::endian::native == std::endian::little ? __builtin_bswap16(value) : value;
}
constexpr std::uint32_t network_order(std::uint32_t value) {
  return std::endian::native == std::endian::little ? __builtin_bswap32(value) : value;
}
constexpr std::uint64_t network_order(std::uint64_t value) {
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

/// Loads a word in host byte order from any alignment.
template <typename Word>
Word load(const std::uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Load and store numbers in network byte order at any alignment. Stores of 16 and 24 bits ignore
/// the higher bits of `value`.
inline std::uint16_t load_be16(const std::uint8_t* from) {
  return network_order(load<std::uint16_t>(from));
}
inline std::uint32_t load_be24(const std::uint8_t* from) {
  return std::uint32_t{from[0]} << 16 | load_be16(from + 1);
}
inline std::uint32_t load_be32(const std::uint8_t* from) {
  return network_order(load<std::uint32_t>(from));
}
inline std::uint64_t load_be64(const std::uint8_t* from) {
  return network_order(load<std::uint64_t>(from));
}
inline void store_be16(std::uint8_t* to, std::uint32_t value) {
  const std::uint16_t word = network_order(static_cast<std::uint16_t>(value));
  std::memcpy(to, &word, sizeof word);
}
inline void store_be24(std::uint8_t* to, std::uint32_t value) {
  *to = static_cast<std::uint8_t>(value >> 16);
  store_be16(to + 1, value);
}
inline void store_be32(std::uint8_t* to, std::uint32_t value) {
  const std::uint32_t word = network_order(value);
  std::memcpy(to, &word, sizeof word);
}
inline void store_be64(std::uint8_t* to, std::uint64_t value) {
  const std::uint64_t word = network_order(value);
  std::memcpy(to, &word, sizeof word);
}

}  // namespace overlane
