#pragma once

#include <array>
#include <cstdint>

#include "sim/cost/cost_profile.h"

namespace overlane::cost {

/// A profile summed up along the ways that a packet takes through a node.
class PathCosts {
 public:
  explicit PathCosts(const CostProfile& profile);

  /// From a local pod's socket to the NIC.
  const StageCost& send(Encapsulation out) const { return send_[index(out)]; }
  /// From the NIC to a local pod's veth.
  const StageCost& receive(Encapsulation in) const { return receive_[index(in)]; }
  /// From the NIC to the NIC, and for what the node makes itself.
  const StageCost& transit(Encapsulation in, Encapsulation out) const {
    return transit_[index(in)][index(out)];
  }
  /// From a local pod's socket to another local pod's veth.
  const StageCost& local() const { return local_; }
  /// From the pod's veth to the application, on the application's core.
  const StageCost& socket() const { return socket_; }

  /// One of these: of a packet from a pod of the node or from the NIC, to a pod or not.
  const StageCost& of(bool from_pod, bool to_pod, Encapsulation in, Encapsulation out) const {
    if (from_pod) return to_pod ? local() : send(out);
    return to_pod ? receive(in) : transit(in, out);
  }

  std::int64_t segments_per_skb() const { return segments_per_skb_; }

 private:
  static constexpr std::size_t kCount = kEncapsulations.size();
  static std::size_t index(Encapsulation e) { return static_cast<std::size_t>(e); }

  std::array<StageCost, kCount> send_;
  std::array<StageCost, kCount> receive_;
  std::array<std::array<StageCost, kCount>, kCount> transit_;
  StageCost local_;
  StageCost socket_;
  std::int64_t segments_per_skb_;
};

/// What one packet of `bytes` costs when `share` packets make a socket buffer.
constexpr Picos time_of(const StageCost& cost, std::int64_t bytes, std::int64_t share) {
  const Picos per_skb = share == 1 ? cost.per_skb : cost.per_skb / share;
  return per_skb + cost.per_packet + cost.per_byte * bytes;
}

}  // namespace overlane::cost
