#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/fabric/limits.h"
#include "sim/host/machine.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

// Limits of the cloud on traffic (fabric::Limits) as queues: the cap on one flow and the allowances
// of one instance, as token buckets. FabricPath moves packets through them; a partition owns the
// shapers of all its nodes.

/// A queue of packets that exceed a limit of the fabric.
struct Shaper {
  Pipe pipe;
  std::uint32_t waiting = 0;
};

/// Key of a flow of one node, as the fabric distinguishes flows.
using FabricFlow = std::uint64_t;
/// A flow with visible ports: the packets of one endpoint.
constexpr FabricFlow flow_with_ports(EndpointId sender) {
  return sender;
}
/// A flow without visible ports: all packets to one node.
constexpr FabricFlow flow_without_ports(std::uint32_t to) {
  return std::uint64_t{1} << 32 | to;
}

/// The cap on one flow.
struct FlowCap : Shaper {
  fabric::TokenBucket bucket;
};

/// The caps on the flows of one node.
class FlowCaps {
 public:
  /// Largest number of caps: events number them in 16 bits. Further flows share caps.
  static constexpr std::size_t kMax = 1 << 16;

  FlowCaps(BitsPerSecond rate, Picos measured_from)
      : link_(rate), fresh_(serialization_time(fabric::kSingleFlowBurst, rate), measured_from) {}

  /// Time that an IP packet of `bytes` takes at the rate.
  Picos time_of(std::int64_t bytes) const { return link_.time_of(bytes); }

  /// Number of the flow's cap; adds one for a new flow.
  std::uint16_t number_of(FabricFlow flow) {
    Recent& recent = recent_[flow % kRecent];
    if (recent.flow != flow) recent = {flow, find_or_add(flow)};
    return recent.number;
  }
  FlowCap& operator[](std::uint16_t number) { return caps_[number]; }
  const FlowCap& operator[](std::uint16_t number) const { return caps_[number]; }
  /// The flow's bucket, or null if the flow has sent no packet.
  const fabric::TokenBucket* bucket_of(FabricFlow flow) const {
    const auto known = numbers_.find(flow);
    return known == numbers_.end() ? nullptr : &caps_[known->second].bucket;
  }

 private:
  std::uint16_t find_or_add(FabricFlow flow) {
    const auto known = numbers_.find(flow);
    if (known != numbers_.end()) return known->second;
    if (caps_.size() == kMax) return static_cast<std::uint16_t>(flow % kMax);
    caps_.emplace_back().bucket = fresh_;
    return numbers_[flow] = static_cast<std::uint16_t>(caps_.size() - 1);
  }

  host::Link link_;
  fabric::TokenBucket fresh_;
  std::unordered_map<FabricFlow, std::uint16_t> numbers_;
  /// The flows of the last packets, a cache of `numbers_`.
  static constexpr std::size_t kRecent = 16;
  struct Recent {
    FabricFlow flow = ~FabricFlow{0};
    std::uint16_t number = 0;
  };
  std::array<Recent, kRecent> recent_;
  std::vector<FlowCap> caps_;
};

/// The limit on what one node sends or receives: bandwidth with a burst, and packets per second.
class Allowance : public Shaper {
 public:
  Allowance(const fabric::Limits& limits, Picos measured_from) {
    if (const auto& allowed = limits.bandwidth) {
      baseline_ = allowed->baseline;
      const Picos credits = serialization_time(allowed->credits, baseline_);
      bandwidth_ = fabric::TokenBucket(credits, measured_from);
    }
    if (const auto& allowed = limits.packets) {
      per_packet_ = {kSecond / allowed->per_second};
      packets_ = fabric::TokenBucket(per_packet_ * (allowed->burst - 1), measured_from);
    }
  }

  /// Time at which an IP packet of `bytes` that comes at `now` may pass.
  Picos take(Picos now, std::int64_t bytes) {
    if (baseline_.count > 0)
      now = bandwidth_.take(now, serialization_time(Bytes{bytes}, baseline_));
    return per_packet_.count > 0 ? packets_.take(now, per_packet_) : now;
  }

  const fabric::TokenBucket& bandwidth() const { return bandwidth_; }
  const fabric::TokenBucket& packets() const { return packets_; }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000'000;

  BitsPerSecond baseline_{};
  Picos per_packet_;
  fabric::TokenBucket bandwidth_;
  fabric::TokenBucket packets_;
};

/// Directions, as events number them.
inline constexpr std::uint16_t kOut = 0;
inline constexpr std::uint16_t kIn = 1;

/// The shapers around one node.
struct NodeShapers {
  NodeShapers(const fabric::Limits& limits, Picos measured_from)
      : flows(limits.single_flow.value_or(BitsPerSecond{1}), measured_from),
        out(limits, measured_from),
        in(limits, measured_from) {}

  FlowCaps flows;
  std::uint32_t capped = 0;  ///< Packets that wait for a flow cap.
  Allowance out;
  Allowance in;
};

}  // namespace overlane::run
