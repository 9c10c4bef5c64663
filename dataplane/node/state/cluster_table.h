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

enum class RouteKind : std::uint8_t { Unicast, Blackhole, Unreachable, Prohibit };

/// Who wrote a route: rtm_protocol of rtnetlink(7). Felix writes cluster routes as 80.
enum class RouteProtocol : std::uint8_t { Kernel = 2, Boot = 3, Static = 4, Bird = 12, Felix = 80 };

std::string_view to_string(RouteProtocol protocol);

/// What a route says about its destination.
struct Route {
  RouteKind kind = RouteKind::Unicast;
  DeviceName device;             ///< The egress device; empty for black holes.
  std::optional<IpAddress> via;  ///< Next hop; none means the destination is on the link.
  bool onlink = false;           ///< The next hop is taken to be on the link.
  /// Lightweight tunnel, `encap ip dst …`: the far end that a tunnel device in metadata mode gets.
  std::optional<IpAddress> tunnel_destination;
  RouteProtocol protocol = RouteProtocol::Kernel;
  std::uint32_t mtu = 0;  ///< Route MTU attribute; 0 when there is none.
  /// Number of a table that a rule consults before the main table; 0: the main table. Used for
  /// display only.
  std::uint8_t table = 0;

  auto operator<=>(const Route&) const = default;
};

/// What packets by the route may take: its own MTU stands for that of the device that it leads to,
/// even when it is larger (ip_dst_mtu_maybe_forward, include/net/ip.h).
constexpr std::uint32_t mtu_by(const Route& route, std::uint32_t device_mtu) {
  return route.mtu != 0 ? route.mtu : device_mtu;
}

/// One line as `ip route show` prints it: "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird
/// onlink".
std::string to_string(const IpPrefix& destination, const Route& route);

// What all nodes of a cluster know about each other: addresses, pod CIDRs, tunnel addresses,
// and the templates of the routes to peers. One table is shared by the states of all nodes as a
// constant, so that a cluster of n nodes does not hold n² routes: a node's route to a peer is
// derived from the template when it is looked up.

/// Position of a node in its cluster's member list.
struct MemberIndex {
  std::uint32_t value = 0;
  auto operator<=>(const MemberIndex&) const = default;
};

/// What every node of a cluster knows about one node in one address family.
struct MemberAddresses {
  IpAddress node;     ///< The node's own (internal) address.
  IpPrefix pod_cidr;  ///< node.spec.podCIDRs of this family.
  IpAddress tunnel;   ///< First address of the pod CIDR (host-local IPAM), or the VTEP's.
  MacAddress vtep_mac;

  auto operator<=>(const MemberAddresses&) const = default;
};

/// What every node of a cluster knows about one node.
struct Member {
  std::string name;
  std::uint32_t subnet = 0;  ///< Which subnet holds it; equal means "same subnet" for CrossSubnet.
  std::optional<MemberAddresses> ipv4;
  std::optional<MemberAddresses> ipv6;

  /// Null when the node has no addresses of that family.
  const MemberAddresses* in(Family family) const {
    const auto& addresses = family == Family::Ipv4 ? ipv4 : ipv6;
    return addresses ? &*addresses : nullptr;
  }
  auto operator<=>(const Member&) const = default;
};

/// How a peer's pod CIDR appears in a node's main table. The next hop is always derived from the
/// peer, so one template stands for one route per peer.
struct PeerRoute {
  enum class Via : std::uint8_t {
    None,           ///< No route: the default route and the cloud decide.
    NodeAddress,    ///< `via <node address>`: tunl0, or a plain next hop on the uplink.
    TunnelAddress,  ///< `via <VTEP address>`, with neighbour and FDB entries (vxlan.calico).
    /// `via ::<IPv4 node address>` (RFC 4291 2.5.5.1), by which sit0 is told the far end.
    Ipv4Compatible,
    Device,       ///< `dev <tunnel>` alone: a device with a `remote`.
    TunnelMap,    ///< `encap ip dst <node address>`: an eBPF map tells the device (cilium_vxlan).
    Unreachable,  ///< `unreachable`: BIRD does not find out by which neighbour the peer is reached.
  };
  Via via = Via::None;
  DeviceName device;
  bool onlink = false;
  RouteProtocol protocol = RouteProtocol::Bird;
  std::uint32_t mtu = 0;
  std::uint8_t table = 0;  ///< Route::table.
  /// TunnelMap: which of the peer's node addresses.
  Family underlay = Family::Ipv4;

  auto operator<=>(const PeerRoute&) const = default;
};

/// The templates of a family.
struct PeerRoutes {
  PeerRoute same_subnet;
  PeerRoute other_subnet;
  /// To peers with WireGuard, before both, as long as its device is there and up: Felix has a table
  /// of its own for these, which a rule asks first for everything but WireGuard's own packets;
  /// Cilium's programs redirect to the device. None: nothing is encrypted.
  PeerRoute encrypted;

  bool can_encrypt() const { return encrypted.via != PeerRoute::Via::None; }
  /// The template of the route from one member to another; `encrypts`: WireGuard's device is there.
  const PeerRoute& between(const Member& self, const Member& peer, bool encrypts) const {
    if (encrypts) return encrypted;
    return peer.subnet == self.subnet ? same_subnet : other_subnet;
  }

  auto operator<=>(const PeerRoutes&) const = default;
};

/// The part of the routing state that all nodes of one mode share: immutable once built, held by
/// shared_ptr<const>, so n nodes cost n rows and not n². Each node sees every member but itself.
struct ClusterTable {
  PeerRoutes ipv4;
  PeerRoutes ipv6;

  const PeerRoutes& routes(Family family) const { return family == Family::Ipv4 ? ipv4 : ipv6; }
  PeerRoutes& routes(Family family) { return family == Family::Ipv4 ? ipv4 : ipv6; }

  /// Adds a member. If another member has its pod CIDRs or addresses, the first owner keeps them.
  MemberIndex add(Member member);
  const std::vector<Member>& members() const { return members_; }
  /// Whose pod CIDR (exactly, or by longest match) it is: pod_cidr → member.
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
