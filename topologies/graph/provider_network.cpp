#include "topologies/graph/provider_network.h"

#include <algorithm>
#include <array>

namespace overlane::graph {
namespace {

using effective::Provider;

// Quotas: the documents disagree and providers raise them on request, so each row is a default that
// a Topology file overrides.
const std::array kProviderNetworks = {
    ProviderNetwork{Provider::Aws,
                    true,
                    500,
                    "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md",
                    false,
                    {}},
    ProviderNetwork{
        Provider::Gcp, false, 300, "gardener-extension-provider-gcp issue 558", false, {}},
    // Azure's fabric carries TCP, UDP, ICMP, ESP and AH; not IP in IP (4), IPv6 in IP (41), GRE
    // (47).
    ProviderNetwork{Provider::Azure,
                    false,
                    400,
                    "gardener-extension-provider-azure issue 1602",
                    false,
                    {4, 41, 47}},
    ProviderNetwork{
        Provider::OpenStack, false, 256, "sapcc/helm-charts pull request 12242", true, {}},
    ProviderNetwork{
        Provider::AliCloud, false, 200, "Alibaba Cloud VPC route table quota", false, {}},
    ProviderNetwork{Provider::Other, false, 0, "not known", false, {}},
};

}  // namespace

const ProviderNetwork& provider_network(Provider provider) {
  const auto row = std::ranges::find(kProviderNetworks, provider, &ProviderNetwork::provider);
  return row == kProviderNetworks.end() ? kProviderNetworks.back() : *row;
}

}  // namespace overlane::graph
