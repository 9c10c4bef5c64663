#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"
#include "dataplane/node/runtime/use_count.h"

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

}  // namespace overlane::node
