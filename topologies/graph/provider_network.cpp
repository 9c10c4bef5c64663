#include "topologies/graph/provider_network.h"

#include <algorithm>
#include <array>

namespace overlane::graph {
namespace {

using effective::Provider;

// Quotas: the documents disagree and providers raise them on request, so each row is a default that
// a Topology file overrides.
const std::array kProviderNetworks = {
    ProviderNetwork{
        .provider = Provider::Aws,
        .route_table_per_zone = true,
        .route_quota = 500,
        .route_quota_source = "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md",
        // Amazon EC2 user guide, "Prefix delegation": prefixes of IPv6 are /80.
        .delegates_ipv6 = Ipv6Delegation{.interface_length = 80, .slice_length = 80},
        // NAT64 (RFC 6052): gardener-extension-provider-aws
        // pkg/controller/infrastructure/infraflow/reconcile.go, ensurePrivateRoutingTable.
        .ipv6_egress = "64:ff9b::/96"},
    // A static route must not hide a subnet's range (Google Cloud, "Routes", subnet routes).
    ProviderNetwork{
        .provider = Provider::Gcp,
        .route_quota = 300,
        .route_quota_source = "gardener-extension-provider-gcp issue 558",
        // gardener-extension-provider-gcp docs/usage/ipv6.md.
        .delegates_ipv6 =
            Ipv6Delegation{.interface_length = 96, .slice_length = 112, .holds_node_address = true},
        .delegates_ipv4_in_dual_stack = true,
        .honours_next_hop = false,
        .protects_subnets = true},
    // Azure's fabric carries TCP, UDP, ICMP, ESP and AH; not IP in IP (4), IPv6 in IP (41), GRE
    // (47).
    ProviderNetwork{.provider = Provider::Azure,
                    .route_quota = 400,
                    .route_quota_source = "gardener-extension-provider-azure issue 1602",
                    .dropped_protocols = {4, 41, 47},
                    .drops_disordered_fragments = true,
                    .honours_next_hop = false},
    ProviderNetwork{.provider = Provider::OpenStack,
                    .route_quota = 256,
                    .route_quota_source = "sapcc/helm-charts pull request 12242",
                    .allows_pod_range_only = true,
                    .decrementing_hops = 1},
    ProviderNetwork{.provider = Provider::AliCloud,
                    .route_quota = 200,
                    .route_quota_source = "Alibaba Cloud VPC route table quota"},
    ProviderNetwork{.provider = Provider::Other, .route_quota_source = "not known"},
};

}  // namespace

const ProviderNetwork& provider_network(Provider provider) {
  const auto row = std::ranges::find(kProviderNetworks, provider, &ProviderNetwork::provider);
  return row == kProviderNetworks.end() ? kProviderNetworks.back() : *row;
}

}  // namespace overlane::graph
