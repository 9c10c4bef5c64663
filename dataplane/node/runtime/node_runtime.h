#pragma once

#include <array>
#include <cstdint>

#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/node/runtime/path_mtu.h"
#include "dataplane/node/runtime/reassembly.h"
#include "dataplane/node/state/services.h"

namespace overlane::node {

// What the kernel of a node learns from traffic: connections, path MTUs, fragments, ICMP
// allowances, identification counters. It is separate from NodeState, which is configuration:
// learning raises no Generation. A NodeRuntime is a value without locks: one thread at a time.

/// Where a node's IPv4 identification numbers come from: a counter per bucket of destinations, as
/// in Linux (ip_idents, net/ipv4/route.c), but smaller and starting at zero, so that a run repeats.
class IdentificationCounters {
 public:
  IdentificationCounters() = default;
  /// The share of one of several that send for the same node: every `sharers`th number from
  /// `share` on. No two give out the same one when `sharers` is a power of two, so that a wrap
  /// keeps to the share.
  IdentificationCounters(std::uint16_t share, std::uint16_t sharers) : step_(sharers) {
    counters_.fill(share);
  }

  static std::uint16_t bucket(IpAddress destination) {
    return static_cast<std::uint16_t>((static_cast<std::uint32_t>(destination.low) * 0x9e3779b1u) >>
                                      26);
  }
  std::uint16_t next(IpAddress destination) { return next_of(bucket(destination)); }
  /// The next identification for destinations of a bucket().
  std::uint16_t next_of(std::uint16_t bucket) {
    std::uint16_t& counter = counters_[bucket];
    const std::uint16_t number = counter;
    counter = static_cast<std::uint16_t>(counter + step_);
    return number;
  }
  bool operator==(const IdentificationCounters&) const = default;

 private:
  std::array<std::uint16_t, 64> counters_{};
  std::uint16_t step_ = 1;
};

/// What a node's kernel learns while it runs: bounded tables with their own expiry that never bump
/// the state's generation. A value.
struct NodeRuntime {
  IdentificationCounters identification;
  PathMtuCache path_mtus;
  ReassemblyTable reassembly;
  ConntrackTable connections;
  IcmpLimit icmp_limit;
  ServiceTurns service_turns;

  bool operator==(const NodeRuntime&) const = default;
};

struct NodeChange;
struct NodeState;
/// To be called after each change of a state, since it cannot be seen from the state alone: forgets
/// the connections masqueraded as an address that their device has lost, or through a device that
/// is down or gone.
void forget_lost_devices(NodeRuntime& runtime, const NodeState& state);

/// Forgets all that Linux and kube-proxy forget on a change: path MTUs of destinations whose
/// route lost its device, or which have another route (in IPv4, where equal routes share what was
/// learned, one with another next hop), and UDP connections to former endpoints of Services. Path
/// MTUs at the MTU of their device, or above it, follow that. Unlike in Linux, a path MTU hidden by
/// a longer route does not return when that is removed.
void forget(NodeRuntime& runtime, const NodeState& state, const NodeChange& change);

}  // namespace overlane::node
