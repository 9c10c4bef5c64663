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

// This file has everything that a node's kernel learns from traffic: NodeRuntime with its parts,
// two of which are defined here, path MTUs and identification counters; and the functions that
// forget entries after a change of the node's state.
//
// Path MTUs that a node learns from ICMP (RFC 1191, RFC 8201): the next-hop exceptions of Linux
// (net/ipv4/route.c), bounded and with an expiry.

/// Lifetime of a learned path MTU (net.ipv4.route.mtu_expires).
inline constexpr Picos kPathMtuExpiry = seconds(600);
/// Smallest path MTU in bytes (net.ipv4.route.min_pmtu). A smaller announcement counts as this one,
/// and is locked.
inline constexpr std::uint32_t kPathMtuMinimum = 552;
/// Smallest path MTU of IPv6 in bytes (IPV6_MIN_MTU; RFC 8200, section 5).
inline constexpr std::uint32_t kIpv6PathMtuMinimum = 1280;

/// The learned path MTU to a destination.
struct PathMtu {
  std::uint32_t mtu = 0;
  /// Linux applies a locked path MTU to forwarded packets, too (ip_dst_mtu_maybe_forward).
  bool locked = false;

  auto operator<=>(const PathMtu&) const = default;
};

/// The learned path MTUs of a node. They apply to packets that the node itself sends, tunnel
/// packets included. They apply to forwarded packets in IPv6, and in IPv4 only if locked
/// (net.ipv4.ip_forward_use_pmtu is 0).
class PathMtuCache {
 public:
  /// Adds `mtu`, in bytes, if it is lower than the known one.
  void learn(IpAddress destination, std::uint32_t mtu, Picos now);
  /// Returns the learned MTU towards `destination`; nothing if there is none or it has expired.
  std::optional<PathMtu> find(IpAddress destination, Picos now) const;
  /// Deletes the path MTUs of destinations whose routes are gone.
  void forget(const std::function<bool(IpAddress)>& is_lost);
  /// Adapts the path MTUs of these destinations after the MTU of their device has changed
  /// (fib_nhc_update_mtu).
  void follow_device(std::uint32_t before, std::uint32_t now,
                     const std::function<bool(IpAddress)>& leads_to);
  std::size_t size() const { return entries_.size(); }
  /// Destinations with a learned MTU, expired ones included, and the number of learned MTUs so far.
  std::vector<IpAddress> destinations() const;
  std::uint64_t times_learned() const { return times_learned_; }
  /// Returns the number of learned and found entries.
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

// NodeRuntime is everything that a node's kernel learns from traffic: connections, path MTUs,
// fragments, ICMP allowances and identification counters. It is separate from NodeState, which is
// configuration: learning does not raise a Generation. A NodeRuntime is a value without locks, for
// one thread at a time.

/// Counters of a node's IPv4 identification numbers, one per bucket of destinations, as in Linux
/// (ip_idents, net/ipv4/route.c). There are fewer buckets and they start at zero, so that a run is
/// repeatable.
class IdentificationCounters {
 public:
  IdentificationCounters() = default;
  /// The counters of one of `sharers` threads that send for the same node: every `sharers`th
  /// number, from `share` on. If `sharers` is a power of two, a wrap keeps to the share, and no two
  /// threads use the same number.
  IdentificationCounters(std::uint16_t share, std::uint16_t sharers) : step_(sharers) {
    counters_.fill(share);
  }

  static std::uint16_t bucket(IpAddress destination) {
    return static_cast<std::uint16_t>((static_cast<std::uint32_t>(destination.low) * 0x9e3779b1u) >>
                                      26);
  }
  std::uint16_t next(IpAddress destination) { return next_of(bucket(destination)); }
  /// Returns the next identification for destinations of a bucket().
  std::uint16_t next_of(std::uint16_t bucket) {
    std::uint16_t& counter = counters_[bucket];
    const std::uint16_t number = counter;
    counter = static_cast<std::uint16_t>(counter + step_);
    return number;
  }
  /// Has the effect of `count` calls of next_of().
  void skip(std::uint16_t bucket, std::int64_t count) {
    counters_[bucket] = static_cast<std::uint16_t>(counters_[bucket] + count * step_);
  }
  bool operator==(const IdentificationCounters&) const = default;

 private:
  std::array<std::uint16_t, 64> counters_{};
  std::uint16_t step_ = 1;
};

/// The state that a node's kernel learns while it runs: bounded tables with their own expiry.
/// Changes do not raise the state's generation.
struct NodeRuntime {
  IdentificationCounters identification;
  PathMtuCache path_mtus;
  ReassemblyTable reassembly;
  ConntrackTable connections;
  IcmpLimit icmp_limit;
  RoundRobinCounters service_turns;

  bool operator==(const NodeRuntime&) const = default;
};

struct NodeChange;
struct NodeState;
/// Deletes masqueraded connections whose device has lost their address, is down or is gone. Call it
/// after each change of a state.
void forget_lost_devices(NodeRuntime& runtime, const NodeState& state);

/// Deletes the entries that Linux and kube-proxy delete on a change: path MTUs of destinations
/// whose route lost its device or was replaced by another route, and UDP connections to former
/// endpoints of Services. In IPv4 equal routes share their path MTUs, so only a route with another
/// next hop counts as another one. A path MTU equal to or above the MTU of its device changes with
/// that MTU. Unlike in Linux, a path MTU hidden by a longer route does not return when that route
/// is removed.
void forget(NodeRuntime& runtime, const NodeState& state, const NodeChange& change);

}  // namespace overlane::node
