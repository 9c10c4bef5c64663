#pragma once

#include <vector>

#include "results/finding/finding.h"
#include "topologies/graph/topology.h"
#include "topologies/provider/profile.h"

namespace overlane::graph {

// How the addresses of one IP family are allocated: pod CIDRs in the order of the nodes
// (RangeAllocator of kube-controller-manager), machine addresses in their subnets, IPv6 prefixes
// by the provider's delegation. Only the builder of Topology uses it.

/// Index of a node in the shoot, its zone, its subnet, and its index in the subnet.
struct NodePlace {
  std::uint32_t node = 0;
  std::uint32_t zone = 0;
  std::uint32_t subnet = 0;
  std::uint32_t machine = 0;
};

/// The subnets and pod CIDRs of one IP family.
struct FamilyLayout {
  IpPrefix pods;
  IpPrefix nodes;
  std::vector<IpPrefix> subnets;      ///< One for all zones, or one per zone.
  bool one_range = false;             ///< All subnets have the same range.
  std::uint8_t pod_cidr_length = 24;  ///< Prefix length of node.spec.podCIDRs.
  std::optional<provider::Ipv6Delegation> delegation;
  bool by_interface = false;  ///< Pod CIDRs are allocated to the interfaces unchanged.
  Allocated allocated;

  /// The addresses of the node at `place`.
  NodeAddresses addresses(const NodePlace& place) const;
  /// Number of machine addresses in a subnet, without the reserved first ones and the broadcast
  /// address.
  std::uint64_t machine_capacity(std::uint32_t subnet) const;
};

/// The layouts of the shoot's families. Fails with `impossible-topology`.
Result<ByFamily<FamilyLayout>> family_layouts(const TopologyRequest& request,
                                              const std::vector<std::string>& zones);

/// The finding `impossible-topology` for the shoot.
tl::unexpected<Finding> impossible(const effective::EffectiveDataplane& shoot, std::string message,
                                   std::string path, std::string hint);

}  // namespace overlane::graph
