#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/prefix.h"

// Finds free prefixes: the lowest ones of a length in given pools that overlap nothing in use.
namespace overlane::ranges {

/// The lowest ranges of `length` (a prefix length of the pool's family) in `pools` that overlap
/// neither `blocked` nor each other, pool by pool; at most `count`. A pool smaller than the length
/// has none. Stable: if the first of these ranges are blocked too, the result starts with the
/// ranges after them. No IPv6 range overlaps ::ffff:0:0/96.
std::vector<IpPrefix> free_ranges(std::span<const IpPrefix> pools,
                                  std::span<const IpPrefix> blocked, std::uint8_t length,
                                  std::size_t count);

}  // namespace overlane::ranges
