#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "topologies/effective/landscape.h"

namespace overlane::effective {

/// How many routes one table (aws, azure, alicloud), network (gcp) or router (openstack) holds.
/// Documents disagree, so that there are two numbers.
struct RouteQuota {
  Provider provider = Provider::Other;
  std::int64_t usual = 0;  ///< 0: no document says.
  std::string_view source;
  std::int64_t lowest = 0;  ///< What another document says; 0: none says less.
  std::string_view lowest_source;
  std::int64_t own_routes = 0;  ///< Those in it that are no node's.
  std::string_view holder;      ///< "route table".
};

/// The row of a provider; nullptr where no table holds routes of nodes.
const RouteQuota* route_quota(Provider provider);

/// What counts for every answer: the number that the landscape's operator has set, else the usual
/// one.
RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set);

}  // namespace overlane::effective
