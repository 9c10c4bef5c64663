#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

/// Whom a packet is handed to on a link.
struct NextHop {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress address;

  auto operator<=>(const NextHop&) const = default;
};

/// What stands in front of frames to each of a list of next hops, by position: unknown at first.
/// One thread writes, any number read, and none sees half an address.
class LinkHeaders {
  /// The destination is in one word, the source, which never changes, and whether they are known in
  /// the rest.
  struct alignas(16) Entry {
    std::atomic<std::uint64_t> front = 0;
    std::atomic<std::uint64_t> back = 0;
  };

 public:
  /// Destination and source of an Ethernet frame.
  static constexpr std::size_t kBytes = 12;

  /// The bit of the second word that says that the address is known: the first one of its last
  /// byte.
  static constexpr std::uint64_t known() { return network_order(std::uint64_t{0x80}); }

  explicit LinkHeaders(std::size_t next_hops) : entries_(next_hops) {}

  void set(std::size_t position, const MacAddress& destination, const MacAddress& source) {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), destination.bytes.data(), destination.bytes.size());
    std::memcpy(bytes.data() + destination.bytes.size(), source.bytes.data(), source.bytes.size());
    bytes.back() = 0x80;
    std::uint64_t words[2];
    std::memcpy(words, bytes.data(), bytes.size());
    entries_[position].front.store(words[0], std::memory_order_relaxed);
    entries_[position].back.store(words[1], std::memory_order_release);
  }
  /// Who has seen that it was known may still write it, whole.
  void forget(std::size_t position) {
    auto& back = entries_[position].back;
    back.store(back.load(std::memory_order_relaxed) & ~known(), std::memory_order_release);
  }

  /// What was set last, also when it is forgotten since.
  struct Header {
    std::uint64_t front;
    std::uint64_t back;

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

  /// Reads them, and keeps their place in a register.
  class Reader {
   public:
    explicit Reader(const Entry* entries) : entries_(entries) {}
    Header header(std::size_t position) const {
      const Entry& entry = entries_[position];
      // In this order: who sees that it is known has the address that it was known with, or a
      // later.
      const std::uint64_t back = entry.back.load(std::memory_order_acquire);
      return {.front = entry.front.load(std::memory_order_relaxed), .back = back};
    }

   private:
    const Entry* entries_;
  };
  Reader reader() const { return Reader(entries_.data()); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace overlane::adjacency
