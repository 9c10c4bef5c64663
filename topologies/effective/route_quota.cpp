#include "topologies/effective/route_quota.h"

namespace overlane::effective {

RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set) {
  if (const auto own = set.find(provider); own != set.end())
    return {.routes = own->second,
            .source = "the landscape's operator: as the settings say",
            .is_set = true};
  const auto& quota = provider::profile_of(provider).routes.quota;
  if (!quota || quota->usual == 0) return {};
  return {.routes = quota->usual, .source = quota->source};
}

namespace {

bool has_cloud_routes(const EffectiveDataplane& shoot, Family family) {
  const Dataplane* dataplane = shoot.dataplane_of(family);
  return dataplane != nullptr && dataplane->cloud_routes == CloudRoutes::Written;
}

}  // namespace

bool has_cloud_routes(const EffectiveDataplane& shoot) {
  return !shoot.opaque &&
         (has_cloud_routes(shoot, Family::Ipv4) || has_cloud_routes(shoot, Family::Ipv6));
}

RouteCount route_count(const EffectiveDataplane& shoot) {
  const provider::Routes& routes = provider::profile_of(shoot.provider).routes;
  const std::int64_t own = routes.quota ? routes.quota->own_routes : 0;
  return {.others = own + shoot.gateway_endpoints,
          .per_node = routes.of_node(has_cloud_routes(shoot, Family::Ipv4),
                                     has_cloud_routes(shoot, Family::Ipv6))};
}

}  // namespace overlane::effective
