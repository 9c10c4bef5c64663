#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "topologies/effective/effective_dataplane.h"

namespace overlane::graph {

/// How a cloud hands IPv6 pod ranges to the nodes' interfaces, out of the nodes' subnets.
struct Ipv6Delegation {
  std::uint8_t interface_length = 0;  ///< Of what an interface gets.
  std::uint8_t slice_length = 0;      ///< Of node.spec.podCIDRs: the first one in it.
  bool holds_node_address = false;    ///< The first address in it is the node's own.
};

/// How a provider's VPC is built, as far as routing between nodes goes.
struct ProviderNetwork {
  effective::Provider provider = effective::Provider::Other;
  bool route_table_per_zone = false;
  /// Anti-spoofing stays on and the pod range is listed as allowed (OpenStack's allowed address
  /// pairs), instead of being switched off (AWS source/destination check, IP forwarding of Azure
  /// and GCP).
  bool allows_pod_range_only = false;
  std::vector<std::uint8_t> dropped_protocols;  ///< IP protocol numbers the fabric does not carry.
  std::optional<Ipv6Delegation> delegates_ipv6;
  /// In dual-stack IPv4 slices go to the interfaces, too (GCP's alias ranges).
  bool delegates_ipv4_in_dual_stack = false;
  /// Beside the default route, this prefix leads out of the VPC, too.
  std::string_view ipv6_egress;
  /// As the fields of these names in node::FabricState.
  bool drops_disordered_fragments = false;
  bool honours_next_hop = true;
  bool protects_subnets = false;
  std::uint8_t decrementing_hops = 0;
};

/// The provider's row; providers without rules of their own share the last one.
const ProviderNetwork& provider_network(effective::Provider provider);

}  // namespace overlane::graph
