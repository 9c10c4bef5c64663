#pragma once

#include <array>
#include <cstdint>

#include "sim/cost/cost_profile.h"

namespace overlane::cost {

/// Numbers the ways that a packet may take through a node.
using PathId = std::uint8_t;

/// A profile summed up along the ways that a packet takes through a node.
class PathCosts {
 public:
  explicit PathCosts(const CostProfile& profile);

  /// Of a packet from a pod of the node or from the NIC, to a pod or not.
  static constexpr PathId path(bool from_pod, bool to_pod, Encapsulation in, Encapsulation out) {
    if (from_pod) return to_pod ? kLocal : static_cast<PathId>(kSend + index(out));
    if (to_pod) return static_cast<PathId>(kReceive + index(in));
    return static_cast<PathId>(kTransit + index(in) * kCount + index(out));
  }
  const StageCost& operator[](PathId path) const { return paths_[path]; }

  /// From a local pod's socket to the NIC.
  const StageCost& send(Encapsulation out) const { return paths_[path(true, false, out, out)]; }
  /// From the NIC to a local pod's veth.
  const StageCost& receive(Encapsulation in) const { return paths_[path(false, true, in, in)]; }
  /// From the NIC to the NIC, and for what the node makes itself.
  const StageCost& transit(Encapsulation in, Encapsulation out) const {
    return paths_[path(false, false, in, out)];
  }
  /// From a local pod's socket to another local pod's veth.
  const StageCost& local() const { return paths_[kLocal]; }
  /// From the pod's veth to the application, on the application's core.
  const StageCost& socket() const { return socket_; }

  std::int64_t segments_per_skb() const { return segments_per_skb_; }

 private:
  static constexpr std::size_t kCount = kEncapsulations.size();
  static constexpr PathId kLocal = 0;
  static constexpr std::size_t kSend = 1;
  static constexpr std::size_t kReceive = kSend + kCount;
  static constexpr std::size_t kTransit = kReceive + kCount;
  static constexpr std::size_t kPaths = kTransit + kCount * kCount;
  static_assert(kPaths <= 256);
  static constexpr std::size_t index(Encapsulation e) { return static_cast<std::size_t>(e); }

  std::array<StageCost, kPaths> paths_;
  StageCost socket_;
  std::int64_t segments_per_skb_;
};

/// What one packet of `bytes` costs when `share` packets make a socket buffer.
constexpr Picos time_of(const StageCost& cost, std::int64_t bytes, std::int64_t share) {
  const Picos per_skb = share == 1 ? cost.per_skb : cost.per_skb / share;
  return per_skb + cost.per_packet + cost.per_byte * bytes;
}

}  // namespace overlane::cost
