#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/units.h"

namespace overlane::cost {

/// The stages of the kernel's packet path that take CPU time. A packet between pods passes, on the
/// sending node: socket-send, veth, netfilter, fib, encap-*, driver-send; on the receiving node:
/// napi-receive, decap-*, netfilter, fib, veth, and then socket-receive on the application's core.
enum class Stage : std::uint8_t {
  SocketSend,
  Veth,
  Netfilter,
  Fib,
  EncapIpip,
  EncapVxlan,
  DriverSend,
  NapiReceive,
  DecapIpip,
  DecapVxlan,
  SocketReceive,
};

/// What a stage is called in a CostProfile file, and what it stands for.
struct StageFacts {
  Stage stage;
  std::string_view name;
  std::string_view meaning;  ///< One phrase for a person.
};

inline constexpr std::array kStages = {
    StageFacts{Stage::SocketSend, "socket-send", "system call, copy and transport, sending"},
    StageFacts{Stage::Veth, "veth", "veth pair, namespace switch and backlog softirq"},
    StageFacts{Stage::Netfilter, "netfilter", "netfilter and conntrack of the host"},
    StageFacts{Stage::Fib, "fib", "route lookup"},
    StageFacts{Stage::EncapIpip, "encap-ipip", "second lookup, outer netfilter, IPIP header"},
    StageFacts{Stage::EncapVxlan, "encap-vxlan", "second lookup, outer netfilter, VXLAN header"},
    StageFacts{Stage::DriverSend, "driver-send", "driver and doorbell"},
    StageFacts{Stage::NapiReceive, "napi-receive", "NAPI poll and GRO"},
    StageFacts{Stage::DecapIpip, "decap-ipip", "IPIP header off, second pass of the stack"},
    StageFacts{Stage::DecapVxlan, "decap-vxlan", "VXLAN header off, second pass of the stack"},
    StageFacts{Stage::SocketReceive, "socket-receive", "transport, wake-up and copy, receiving"},
};

inline constexpr std::size_t kStageCount = kStages.size();

constexpr std::string_view to_string(Stage stage) {
  return kStages[static_cast<std::size_t>(stage)].name;
}

/// What one stage costs: per socket buffer, per packet on the wire, and per byte of it.
struct StageCost {
  Picos per_skb;
  Picos per_packet;
  Picos per_byte;

  StageCost& operator+=(const StageCost& other) {
    per_skb += other.per_skb;
    per_packet += other.per_packet;
    per_byte += other.per_byte;
    return *this;
  }
  auto operator<=>(const StageCost&) const = default;
};

/// How much CPU time a node's kernel spends on packets. A value.
///
/// Segmentation and receive offload are an amortisation, not a mechanism: a full-sized segment of a
/// bulk TCP stream costs 1/`segments_per_skb` of each per-skb cost, and a pure acknowledgement
/// 1/(segments_per_skb/2), because Linux acknowledges once per merged buffer and this simulator
/// once per two segments. Everything else is a buffer of its own.
struct CostProfile {
  std::string name;
  std::array<StageCost, kStageCount> stages;
  std::int64_t segments_per_skb = 1;  ///< At least 1.

  StageCost& operator[](Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const StageCost& operator[](Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  auto operator<=>(const CostProfile&) const = default;
};

}  // namespace overlane::cost
