#include "topologies/graph/provider_network.h"

#include <algorithm>
#include <array>

namespace overlane::graph {
namespace {

using effective::Provider;

const std::array kProviderNetworks = {
    ProviderNetwork{
        .provider = Provider::Aws,
        .route_table_per_zone = true,
        // Amazon EC2 user guide, "Prefix delegation": prefixes of IPv6 are /80.
        .delegates_ipv6 = Ipv6Delegation{.interface_length = 80, .slice_length = 80},
        // NAT64 (RFC 6052): gardener-extension-provider-aws
        // pkg/controller/infrastructure/infraflow/reconcile.go, ensurePrivateRoutingTable.
        .ipv6_egress = "64:ff9b::/96"},
    // A static route must not hide a subnet's range (Google Cloud, "Routes", subnet routes).
    ProviderNetwork{
        .provider = Provider::Gcp,
        // gardener-extension-provider-gcp docs/usage/ipv6.md.
        .delegates_ipv6 =
            Ipv6Delegation{.interface_length = 96, .slice_length = 112, .holds_node_address = true},
        .delegates_ipv4_in_dual_stack = true,
        .honours_next_hop = false,
        .protects_subnets = true},
    // Azure's fabric carries TCP, UDP, ICMP, ESP and AH; not IP in IP (4), IPv6 in IP (41), GRE
    // (47).
    ProviderNetwork{.provider = Provider::Azure,
                    .dropped_protocols = {4, 41, 47},
                    .drops_disordered_fragments = true,
                    .honours_next_hop = false},
    ProviderNetwork{
        .provider = Provider::OpenStack, .allows_pod_range_only = true, .decrementing_hops = 1},
    ProviderNetwork{.provider = Provider::AliCloud},
    ProviderNetwork{.provider = Provider::Other},
};

}  // namespace

const ProviderNetwork& provider_network(Provider provider) {
  const auto row = std::ranges::find(kProviderNetworks, provider, &ProviderNetwork::provider);
  return row == kProviderNetworks.end() ? kProviderNetworks.back() : *row;
}

}  // namespace overlane::graph
