#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dataplane/adjacency/ipv6_finder.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

// Link headers (destination and source MAC) in front of frames to each next hop. One thread
// writes them when it learns neighbours; any number of workers reads them without locks, and
// none sees half an address.

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

/// Ethernet headers of frames to neighbours on a link, by their IPv6 addresses: for packets whose
/// next hop is their destination. As with SharedLinkHeader, one thread writes, any number
/// read.
class NeighbourHeaders {
 public:
  /// So many different addresses have room, of which some may be forgotten since: twice what a
  /// link's table holds at a time (NodeLinks). Others stay unknown.
  static constexpr std::size_t kMax = 1 << 15;

  /// Without a `wanted` one there is room for none.
  explicit NeighbourHeaders(bool wanted) : slots_(wanted ? 2 * kMax : 0) {}

  /// Nothing happens where there is no room, or for an address whose upper half is 0, which has no
  /// adjacency.
  void set(const IpAddress& address, const MacAddress& destination, const MacAddress& source);
  void forget(const IpAddress& address);
  void forget_all();

  /// Link header of the address with these halves in host byte order. Requires room for addresses.
  [[gnu::always_inline]] LinkHeader header(std::uint64_t high, std::uint64_t low) const {
    for (std::size_t at = place(high, low);; at = (at + 1) % (2 * kMax)) {
      const Slot& slot = slots_[at];
      const std::uint64_t found = slot.high.load(std::memory_order_acquire);
      if (found == 0) return {};
      if (found == high && slot.low.load(std::memory_order_relaxed) == low)
        return slot.header.read();
    }
  }

 private:
  /// Place of one address, which never changes. It is free while `high` is 0, which is written
  /// last.
  struct alignas(32) Slot {
    std::atomic<std::uint64_t> high = 0;
    std::atomic<std::uint64_t> low = 0;
    SharedLinkHeader header;
  };

  static constexpr int kBits = 16;
  static_assert(2 * kMax == std::size_t{1} << kBits);

  static std::size_t place(std::uint64_t high, std::uint64_t low) {
    return ipv6_hash(high, low) >> (64 - kBits);
  }
  /// The slot that the address has, or the free one for it.
  Slot& slot_of(const IpAddress& address);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Whom a packet is handed to on a link.
struct NextHop {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress address;

  auto operator<=>(const NextHop&) const = default;
};

/// Ethernet headers of frames to next hops: to each of a list of them, by position, and to
/// neighbours. Unknown at first. One thread writes, any number read.
class LinkHeaders {
 public:
  /// `has_neighbours`: there will be neighbours by their addresses.
  LinkHeaders(std::size_t next_hops, bool has_neighbours)
      : headers_(next_hops), neighbours_(has_neighbours) {}

  void set(std::size_t position, const MacAddress& destination, const MacAddress& source) {
    headers_[position].set(destination, source);
  }
  void forget(std::size_t position) { headers_[position].forget(); }
  void forget_all() {
    for (SharedLinkHeader& header : headers_)
      header.forget();
    neighbours_.forget_all();
  }
  NeighbourHeaders& neighbours() { return neighbours_; }

  /// Reads them, and keeps their place in a register.
  class Reader {
   public:
    explicit Reader(const LinkHeaders& headers)
        : headers_(headers.headers_.data()), neighbours_(headers.neighbours_) {}
    [[gnu::always_inline]] LinkHeader header(std::size_t position) const {
      return headers_[position].read();
    }
    const NeighbourHeaders& neighbours() const { return neighbours_; }

   private:
    const SharedLinkHeader* headers_;
    const NeighbourHeaders& neighbours_;
  };
  Reader reader() const { return Reader(*this); }

 private:
  std::vector<SharedLinkHeader> headers_;
  NeighbourHeaders neighbours_;
};

}  // namespace overlane::adjacency
