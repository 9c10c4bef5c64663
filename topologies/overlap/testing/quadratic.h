#pragma once

#include <span>
#include <vector>

#include "topologies/overlap/pairs/search.h"

namespace overlane::overlap::testing {

/// What search() returns, found by looking at every two entries; groups in order of what they mean.
std::vector<PairGroup> search_quadratic(std::span<const RangeEntry> entries,
                                        const SearchScope& scope);

}  // namespace overlane::overlap::testing
