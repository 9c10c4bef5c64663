#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/node/route.h"

namespace overlane::node {

/// Position of a node in its cluster's member list.
struct MemberIndex {
  std::uint32_t value = 0;
  auto operator<=>(const MemberIndex&) const = default;
};

/// What every node of a cluster knows about one node.
struct Member {
  std::string name;
  IpAddress address;         ///< The node's own (internal) address.
  std::uint32_t subnet = 0;  ///< Which subnet holds it; equal means "same subnet" for CrossSubnet.
  IpPrefix pod_slice;        ///< node.spec.podCIDR.
  IpAddress tunnel_address;  ///< First address of the slice (host-local IPAM), or the VTEP's.
  MacAddress vtep_mac;

  auto operator<=>(const Member&) const = default;
};

/// How a peer's pod slice appears in a node's main table. The next hop is always derived from the
/// peer, so one template stands for one route per peer.
struct PeerRoute {
  enum class Via : std::uint8_t {
    None,           ///< No route: the default route and the cloud decide.
    NodeAddress,    ///< `via <node address>`: tunl0, or a plain next hop on the uplink.
    TunnelAddress,  ///< `via <VTEP address>`, with neighbour and FDB entries (vxlan.calico).
  };
  Via via = Via::None;
  std::string device;
  bool onlink = false;
  RouteProtocol protocol = RouteProtocol::Bird;
  std::uint32_t mtu = 0;

  auto operator<=>(const PeerRoute&) const = default;
};

/// The part of the routing state that all nodes of one mode share: immutable once built, held by
/// shared_ptr<const>, so n nodes cost n rows and not n². Each node sees every member but itself.
struct ClusterTable {
  std::vector<Member> members;
  fib::PrefixTable<MemberIndex> slices;  ///< pod_slice → member.
  PeerRoute same_subnet;
  PeerRoute other_subnet;

  bool operator==(const ClusterTable&) const = default;
};

}  // namespace overlane::node
