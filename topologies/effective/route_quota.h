#pragma once

#include <cstdint>
#include <map>

#include "topologies/effective/landscape.h"

namespace overlane::effective {

/// The route quota that all results use: the landscape operator's setting, else the default of the
/// provider's profile.
RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set);

}  // namespace overlane::effective
