#include "topologies/effective/route_quota.h"

namespace overlane::effective {

RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set) {
  if (const auto own = set.find(provider); own != set.end())
    return {.routes = own->second, .source = "as the landscape's settings say", .is_set = true};
  const auto& quota = provider::profile_of(provider).routes.quota;
  if (!quota || quota->usual == 0) return {};
  return {.routes = quota->usual, .source = quota->source};
}

}  // namespace overlane::effective
