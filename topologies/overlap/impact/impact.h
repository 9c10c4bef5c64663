#pragma once

#include <string>

#include "topologies/overlap/impact/network_relation.h"

namespace overlane::overlap {

/// The owner and the role of a range.
struct RangeOwner {
  std::string name;
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool routes_missing = false;  ///< As Side::routes_missing.
};

/// The impact of an overlap, as a sentence. The order of the owners does not matter.
std::string consequence(const Impact& impact, const Relation& relation,
                        effective::Provider provider, RangeOwner first, RangeOwner second);

}  // namespace overlane::overlap
