#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

/// Destination and source of an Ethernet frame, as a reader has seen them, and whether they are
/// known. What is forgotten since may still be written.
struct LinkHeader {
  static constexpr std::size_t kBytes = 12;

  std::uint64_t front = 0;
  std::uint64_t back = 0;

  /// The bit of the second word that says that the address is known: the first one of its last
  /// byte.
  static constexpr std::uint64_t known() { return network_order(std::uint64_t{0x80}); }

  bool is_known() const { return (back & known()) != 0; }
  /// Whether the address at `mac`, behind which stand two more bytes, is the destination, and
  /// known.
  bool is_destination(const std::uint8_t* mac) const {
    const std::uint64_t differs = load<std::uint64_t>(mac) ^ front;
    return (std::endian::native == std::endian::little ? differs << 16 : differs >> 16) == 0 &&
           is_known();
  }
  /// Writes kBytes.
  [[gnu::always_inline]] void write(std::uint8_t* at) const {
    std::memcpy(at, &front, sizeof front);
    std::memcpy(at + sizeof front, &back, kBytes - sizeof front);
  }
};

/// A link header that one thread writes, and any number read, none of whom sees half an address:
/// the destination is in one word, the source, which never changes, and whether they are known in
/// the rest. Unknown at first.
class alignas(16) SharedLinkHeader {
 public:
  void set(const MacAddress& destination, const MacAddress& source) {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), destination.bytes.data(), destination.bytes.size());
    std::memcpy(bytes.data() + destination.bytes.size(), source.bytes.data(), source.bytes.size());
    bytes.back() = 0x80;
    std::uint64_t words[2];
    std::memcpy(words, bytes.data(), bytes.size());
    front_.store(words[0], std::memory_order_relaxed);
    back_.store(words[1], std::memory_order_release);
  }
  /// Who has seen that it was known may still write it, whole.
  void forget() {
    back_.store(back_.load(std::memory_order_relaxed) & ~LinkHeader::known(),
                std::memory_order_release);
  }
  [[gnu::always_inline]] LinkHeader read() const {
    // In this order: who sees that it is known has the address that it was known with, or a later.
    const std::uint64_t back = back_.load(std::memory_order_acquire);
    return {.front = front_.load(std::memory_order_relaxed), .back = back};
  }

 private:
  std::atomic<std::uint64_t> front_ = 0;
  std::atomic<std::uint64_t> back_ = 0;
};

}  // namespace overlane::adjacency
