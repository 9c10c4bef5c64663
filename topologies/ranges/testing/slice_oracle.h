#pragma once

#include "topologies/ranges/slices.h"

namespace overlane::ranges::testing {

/// until_conflict() by creating node after node, for few slices.
UntilConflict slowly_until_conflict(const SliceAllocation& a, const SliceAllocation& b);

}  // namespace overlane::ranges::testing
