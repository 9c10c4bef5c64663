#pragma once

#include <cstddef>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"

namespace overlane::neighbour {

// Linux defaults: the parms of arp_tbl (net/ipv4/arp.c) and nd_tbl
// (net/ipv6/ndisc.c), which `sysctl net.ipv4.neigh.default` shows.

/// mcast_solicit and ucast_solicit: how often an address is asked for; retrans_time: how far apart.
inline constexpr int kMaxQuestions = 3;
inline constexpr Picos kRetransmit = seconds(1);
/// base_reachable_time. Linux draws from half to one and a half of it (neigh_rand_reach_time) so
/// that hosts which began together do not ask together; here it is what it is.
inline constexpr Picos kReachable = seconds(30);
/// delay_first_probe_time: how long an unconfirmed neighbour is used before it is asked.
inline constexpr Picos kDelay = seconds(5);
/// gc_stale_time: how long an unused entry is kept.
inline constexpr Picos kStale = seconds(60);
/// locktime of ARP: of several answers the first one counts (arp_process).
inline constexpr Picos kLock = seconds(1);

/// For which addresses a port says that they are here.
struct Answers {
  /// Its own addresses of both families. The first one of a family is what it asks from, unless the
  /// packet that waits comes from another of them; neighbour discovery prefers a link-local one
  /// (arp_solicit with arp_announce 0, ndisc_solicit).
  std::vector<IpAddress> own;
  /// Answers ARP for every other address too, as Felix sets it on the host's end of each pod's
  /// veth. IPv6 has no such thing: list what pods ask for.
  bool proxy_arp = false;
};

struct Settings {
  /// Of the port. The port also has the link-local address made of it (link_local()), unless
  /// Answers lists another.
  MacAddress mac;
  Answers answers;
  /// gc_thresh3, which Linux has for each family and all devices together.
  std::size_t most_neighbours = 1024;
  /// unres_qlen_bytes: what is kept for each neighbour that is being asked for. Each packet counts
  /// with kPacketOverhead.
  std::size_t most_kept_bytes = 212'992;
  /// For a link whose neighbours do not trust each other: an address stays with the one that has it
  /// for as long as that one answers. What another MAC says of it is a doubt, as Link::doubt().
  bool holds_on = false;
};

/// SKB_TRUESIZE of nothing, on x86-64 (include/linux/skbuff.h).
inline constexpr std::size_t kPacketOverhead = 576;

}  // namespace overlane::neighbour
