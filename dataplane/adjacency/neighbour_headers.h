#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/adjacency/ipv6_hash.h"
#include "dataplane/adjacency/link_header.h"
#include "dataplane/net/address.h"

namespace overlane::adjacency {

/// What stands in front of frames to neighbours on a link, by their IPv6 addresses: for packets
/// whose next hop is their destination. As with SharedLinkHeader, one thread writes, any number
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

  /// Of the address with these halves in host byte order; there is room.
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
  /// Of one address for ever; free when `high` is 0, which is written last.
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

}  // namespace overlane::adjacency
