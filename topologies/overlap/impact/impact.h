#pragma once

#include <string>

#include "topologies/overlap/impact/network_relation.h"

namespace overlane::overlap {

/// Who has a range, and what it is.
struct RangeOwner {
  std::string name;
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
};

/// What comes of an overlap of two, whichever stands first: a sentence.
std::string consequence(const Impact& impact, const Relation& relation,
                        effective::Provider provider, RangeOwner first, RangeOwner second);

}  // namespace overlane::overlap
