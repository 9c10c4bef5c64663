#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/prefix.h"
#include "dataplane/node/state/device.h"

namespace overlane::node {

// Routes of a node (struct fib_info, `ip route`), and the table that all nodes of a cluster share,
// from which a node's routes to its peers are derived. Both are plain values.

enum class RouteKind : std::uint8_t { Unicast, Blackhole, Unreachable, Prohibit };

/// The writer of a route: rtm_protocol of rtnetlink(7). Felix writes cluster routes as 80.
enum class RouteProtocol : std::uint8_t { Kernel = 2, Boot = 3, Static = 4, Bird = 12, Felix = 80 };

std::string_view to_string(RouteProtocol protocol);

/// A route without its destination.
struct Route {
  RouteKind kind = RouteKind::Unicast;
  DeviceName device;             ///< The egress device; empty for black holes.
  std::optional<IpAddress> via;  ///< Next hop. Empty: the destination is on the link.
  bool onlink = false;           ///< The next hop is treated as on the link.
  /// Lightweight tunnel, `encap ip dst …`: the far end, for a tunnel device in metadata mode.
  std::optional<IpAddress> tunnel_destination;
  RouteProtocol protocol = RouteProtocol::Kernel;
  std::uint32_t mtu = 0;  ///< Route MTU attribute in bytes; 0 if there is none.
  /// Number of a table that a rule consults before the main table; 0: the main table. Used for
  /// display only.
  std::uint8_t table = 0;

  auto operator<=>(const Route&) const = default;
};

/// Returns the MTU of a route in bytes. The route's own MTU replaces that of its device, even if it
/// is larger (ip_dst_mtu_maybe_forward, include/net/ip.h).
constexpr std::uint32_t mtu_by(const Route& route, std::uint32_t device_mtu) {
  return route.mtu != 0 ? route.mtu : device_mtu;
}

/// Returns one line as `ip route show` prints it: "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto
/// bird onlink".
std::string to_string(const IpPrefix& destination, const Route& route);

// The common knowledge of all nodes of a cluster: addresses, pod CIDRs, tunnel addresses, and the
// templates of the routes to peers. The states of all nodes share one constant table. So a cluster
// of n nodes does not hold n² routes: a node's route to a peer is derived from the template at each
// lookup.

/// Position of a node in its cluster's member list.
struct MemberIndex {
  std::uint32_t value = 0;
  auto operator<=>(const MemberIndex&) const = default;
};

/// Addresses of one node in one family.
struct MemberAddresses {
  IpAddress node;     ///< The node's own (internal) address.
  IpPrefix pod_cidr;  ///< node.spec.podCIDRs of this family.
  /// First address of the pod CIDR (host-local IPAM), or the address of the VTEP.
  IpAddress tunnel;
  MacAddress vtep_mac;

  auto operator<=>(const MemberAddresses&) const = default;
};

/// One node in the cluster table.
struct Member {
  std::string name;
  std::uint32_t subnet = 0;  ///< Number of the node's subnet; CrossSubnet compares it.
  std::optional<MemberAddresses> ipv4;
  std::optional<MemberAddresses> ipv6;

  /// Returns the addresses of a family; null if the node has none.
  const MemberAddresses* in(Family family) const {
    const auto& addresses = family == Family::Ipv4 ? ipv4 : ipv6;
    return addresses ? &*addresses : nullptr;
  }
  auto operator<=>(const Member&) const = default;
};

/// The template of a route to a peer's pod CIDR in a node's main table. The next hop is derived
/// from the peer, so one template describes the routes to all peers.
struct PeerRoute {
  enum class Via : std::uint8_t {
    None,           ///< No route: the default route and the cloud decide.
    NodeAddress,    ///< `via <node address>`: tunl0, or a plain next hop on the uplink.
    TunnelAddress,  ///< `via <VTEP address>`, with neighbour and FDB entries (vxlan.calico).
    /// `via ::<IPv4 node address>` (RFC 4291 2.5.5.1), from which sit0 gets the far end.
    Ipv4Compatible,
    Device,  ///< `dev <tunnel>` alone: a device with a `remote`.
    /// `encap ip dst <node address>`: the device gets the far end from an eBPF map (cilium_vxlan).
    TunnelMap,
    /// `unreachable`: BIRD does not find a neighbour through which it reaches the peer.
    Unreachable,
  };
  Via via = Via::None;
  DeviceName device;
  bool onlink = false;
  RouteProtocol protocol = RouteProtocol::Bird;
  std::uint32_t mtu = 0;
  std::uint8_t table = 0;  ///< Route::table.
  /// TunnelMap: family of the peer's node address that is the far end.
  Family underlay = Family::Ipv4;

  auto operator<=>(const PeerRoute&) const = default;
};

/// The templates of the routes to peers in one family.
struct PeerRoutes {
  PeerRoute same_subnet;
  PeerRoute other_subnet;
  /// Route to peers with WireGuard, which has precedence over the other two as long as the
  /// WireGuard device exists and is up. Felix has its own table for these routes; a rule consults
  /// it first for all packets except WireGuard's own ones. Cilium's programs redirect to the
  /// device. Via::None: no encryption.
  PeerRoute encrypted;

  bool can_encrypt() const { return encrypted.via != PeerRoute::Via::None; }
  /// Returns the template of the route from one member to another. `encrypts`: the WireGuard device
  /// exists and is up.
  const PeerRoute& between(const Member& self, const Member& peer, bool encrypts) const {
    if (encrypts) return encrypted;
    return peer.subnet == self.subnet ? same_subnet : other_subnet;
  }

  auto operator<=>(const PeerRoutes&) const = default;
};

/// The part of the routing state that all nodes share: constant once built, and held by
/// shared_ptr<const>. A node's peers are all members except itself.
struct ClusterTable {
  PeerRoutes ipv4;
  PeerRoutes ipv6;

  const PeerRoutes& routes(Family family) const { return family == Family::Ipv4 ? ipv4 : ipv6; }
  PeerRoutes& routes(Family family) { return family == Family::Ipv4 ? ipv4 : ipv6; }

  /// Adds a member. If another member has its pod CIDRs or addresses, the first owner keeps them.
  MemberIndex add(Member member);
  const std::vector<Member>& members() const { return members_; }
  /// The members by pod CIDR, for lookups of a prefix or of an address.
  const fib::PrefixTable<MemberIndex>& pod_cidrs() const { return pod_cidrs_; }

  const Member* with_node_address(IpAddress address) const;
  const Member* with_tunnel_address(IpAddress address) const;

  bool operator==(const ClusterTable&) const = default;

 private:
  using Owners = std::vector<std::pair<IpAddress, MemberIndex>>;  ///< Sorted.
  const Member* owner(const Owners& owners, IpAddress address) const;

  std::vector<Member> members_;
  fib::PrefixTable<MemberIndex> pod_cidrs_;
  Owners by_node_address_;
  Owners by_tunnel_address_;
};

}  // namespace overlane::node
