#pragma once

#include "topologies/ranges/conflicts.h"

namespace overlane::ranges {

/// The smallest cover of a connected part of at most 64 vertices, as Cover::exact says.
std::vector<std::uint32_t> exact_cover(const Conflicts& conflicts,
                                       const std::vector<std::uint32_t>& part,
                                       const std::vector<std::uint64_t>& weights);

/// A cover of a connected part of any size in which every vertex is necessary.
std::vector<std::uint32_t> greedy_cover(const Conflicts& conflicts,
                                        const std::vector<std::vector<std::uint32_t>>& parts,
                                        const std::vector<std::uint64_t>& weights);

}  // namespace overlane::ranges
