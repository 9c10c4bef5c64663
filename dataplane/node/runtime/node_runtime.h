#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"
#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/node/runtime/reassembly.h"
#include "dataplane/node/state/generation.h"
#include "dataplane/node/state/services.h"

namespace overlane::node {

// Path MTU discovery (RFC 1191, RFC 8201): the next-hop exceptions of Linux (net/ipv4/route.c),
// bounded and with their expiry.

/// net.ipv4.route.mtu_expires.
inline constexpr Picos kPathMtuExpiry = seconds(600);
/// net.ipv4.route.min_pmtu: smaller announcements count as this, and are locked.
inline constexpr std::uint32_t kPathMtuMinimum = 552;
/// IPV6_MIN_MTU (RFC 8200, section 5): the same in IPv6.
inline constexpr std::uint32_t kIpv6PathMtuMinimum = 1280;

/// What is known about the path to a destination.
struct PathMtu {
  std::uint32_t mtu = 0;
  /// Linux obeys a locked path MTU also for what it forwards (ip_dst_mtu_maybe_forward).
  bool locked = false;

  auto operator<=>(const PathMtu&) const = default;
};

/// Path MTUs that the node learned from ICMP (next-hop exceptions, net/ipv4/route.c). They
/// apply to what the node itself sends, tunnel packets included. To forwarded packets they apply in
/// IPv6, and in IPv4 only when locked (net.ipv4.ip_forward_use_pmtu is 0).
class PathMtuCache {
 public:
  /// Takes `mtu` in when it is lower than what is known.
  void learn(IpAddress destination, std::uint32_t mtu, Picos now);
  /// The learned MTU towards `destination`, while it holds.
  std::optional<PathMtu> find(IpAddress destination, Picos now) const;
  /// The routes to these destinations are gone, and what was learned of their paths with them.
  void forget(const std::function<bool(IpAddress)>& is_lost);
  /// The MTU of the device that leads to these destinations has changed (fib_nhc_update_mtu).
  void follow_device(std::uint32_t before, std::uint32_t now,
                     const std::function<bool(IpAddress)>& leads_to);
  std::size_t size() const { return entries_.size(); }
  /// Destinations with a learned MTU, and how often; an entry may have expired.
  std::vector<IpAddress> destinations() const;
  std::uint64_t times_learned() const { return times_learned_; }
  /// Counts what was learned and what was found.
  std::uint64_t uses() const { return uses_.get(); }

  bool operator==(const PathMtuCache&) const = default;

 private:
  struct Entry {
    PathMtu path;
    Picos expires;
    bool operator==(const Entry&) const = default;
  };
  void make_room(Picos now);

  std::map<IpAddress, Entry> entries_;
  std::uint64_t times_learned_ = 0;
  UseCount uses_;
};

/// FNHE_HASH_SIZE (2048) buckets of FNHE_RECLAIM_DEPTH (5), include/net/ip_fib.h.
inline constexpr std::size_t kPathMtuEntries = 2048 * 5;

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
