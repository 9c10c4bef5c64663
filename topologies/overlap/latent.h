#pragma once

#include "topologies/overlap/shoot.h"
#include "topologies/ranges/slices.h"

namespace overlane::overlap {

/// How far two shoots are from giving nodes the same pod addresses; `a` and `b` are ranges of pods
/// of theirs. The slices in use are those of their Nodes; without any, as many from the range's
/// start as the workers have at least.
ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b);

}  // namespace overlane::overlap
