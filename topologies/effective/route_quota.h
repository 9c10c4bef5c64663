#pragma once

#include <cstdint>
#include <map>

#include "topologies/effective/landscape.h"

namespace overlane::effective {

/// What counts for every answer: the number that the landscape's operator has set, else the usual
/// one of the provider's profile.
RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set);

}  // namespace overlane::effective
