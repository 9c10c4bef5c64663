#pragma once

#include "topologies/ranges/pod_cidrs.h"

namespace overlane::ranges::testing {

/// until_conflict() by creating node after node, for few pod CIDRs.
UntilConflict slowly_until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges::testing
