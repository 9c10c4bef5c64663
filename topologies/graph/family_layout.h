#pragma once

#include <vector>

#include "results/finding/result.h"
#include "topologies/graph/topology.h"
#include "topologies/provider/profile.h"

namespace overlane::graph {

/// Which node of the shoot, in which zone, and which machine of that.
struct NodePlace {
  std::uint32_t node = 0;
  std::uint32_t zone = 0;
  std::uint32_t machine = 0;
};

/// How the nodes and pods of one IP family are laid out.
struct FamilyLayout {
  IpPrefix pods;
  IpPrefix nodes;
  std::vector<IpPrefix> subnets;      ///< One for each zone.
  bool one_subnet = false;            ///< All zones have the same.
  std::uint8_t pod_cidr_length = 24;  ///< Of node.spec.podCIDRs.
  std::optional<provider::Ipv6Delegation> delegation;
  bool by_interface = false;  ///< Pod CIDRs go to the interfaces as they are.
  HandedOut handed_out;

  NodeAddresses addresses(const NodePlace& place) const;
  /// How many addresses machines can get in a zone's subnet: not the kept first ones, not the
  /// broadcast address.
  std::uint64_t machine_capacity(std::uint32_t zone) const;
};

/// The families that the shoot has. Refused with `impossible-topology`.
Result<ByFamily<FamilyLayout>> family_layouts(const TopologyRequest& request,
                                              const std::vector<std::string>& zones);

/// An `impossible-topology` about the shoot.
tl::unexpected<Finding> impossible(const effective::EffectiveDataplane& shoot, std::string message,
                                   std::string path, std::string hint);

}  // namespace overlane::graph
