#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/prefix.h"

namespace overlane::ranges {

/// The lowest ranges of `length` (in terms of the family) inside `pools` that meet none of
/// `blocked` and not each other: what the first pool has, then the second, and so on; at most
/// `count`. A pool that is smaller than that has none. Stable: with its first ranges among
/// `blocked` too, the answer goes on with the ranges that came behind them. No IPv6 range meets
/// ::ffff:0:0/96.
std::vector<IpPrefix> free_ranges(std::span<const IpPrefix> pools,
                                  std::span<const IpPrefix> blocked, std::uint8_t length,
                                  std::size_t count);

}  // namespace overlane::ranges
