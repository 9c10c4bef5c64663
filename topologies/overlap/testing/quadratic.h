#pragma once

#include <span>
#include <vector>

#include "topologies/overlap/pairs/search.h"

namespace overlane::overlap::testing {

/// Computes the result of search() by comparing every two entries; groups are sorted by rule,
/// severity, certainty and roles.
std::vector<PairGroup> search_quadratic(std::span<const RangeEntry> entries,
                                        const SearchScope& scope);

}  // namespace overlane::overlap::testing
