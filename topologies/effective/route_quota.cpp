#include "topologies/effective/route_quota.h"

#include <algorithm>
#include <iterator>

namespace overlane::effective {
namespace {

constexpr RouteQuota kQuotas[] = {
    {.provider = Provider::Aws,
     .usual = 500,
     .source = "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md",
     .lowest = 50,
     .lowest_source = "gardener-extension-provider-aws docs/usage/ipv6.md",
     .own_routes = 2,  // The VPC's own range, and the default route.
     .holder = "route table"},
    {.provider = Provider::Gcp,
     .usual = 300,
     .source = "gardener-extension-provider-gcp issue 558",
     .lowest = 200,
     .lowest_source = "gardener-extension-provider-gcp docs/usage/ipv6.md",
     .own_routes = 1,  // The default route; those of subnets are not static ones.
     .holder = "VPC network"},
    {.provider = Provider::Azure,
     .usual = 400,
     .source = "gardener-extension-provider-azure issue 1602",
     .holder = "route table"},
    {.provider = Provider::OpenStack,
     .usual = 512,
     .source = "sapcc/helm-charts pull request 12242",
     .lowest = 256,
     .lowest_source = "sapcc/helm-charts before pull request 12242",
     .holder = "router"},
    {.provider = Provider::AliCloud, .holder = "route table"},
};

}  // namespace

const RouteQuota* route_quota(Provider provider) {
  const auto* row = std::ranges::find(kQuotas, provider, &RouteQuota::provider);
  return row == std::end(kQuotas) ? nullptr : row;
}

RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set) {
  if (const auto own = set.find(provider); own != set.end())
    return {.routes = own->second, .source = "as the landscape's settings say", .is_set = true};
  const RouteQuota* usual = route_quota(provider);
  if (usual == nullptr || usual->usual == 0) return {};
  return {.routes = usual->usual, .source = usual->source};
}

}  // namespace overlane::effective
