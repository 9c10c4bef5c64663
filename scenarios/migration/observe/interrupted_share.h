#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scenarios/migration/observe/outages.h"

namespace overlane::migration {

/// Columns of equal length.
struct TimeColumns {
  Picos begin;   ///< Of the first column.
  Picos column;  ///< The length of each.
  std::uint32_t count = 0;

  Picos end() const { return begin + column * count; }
};
/// So many columns, at least 1, from `begin` to `end` or a little later.
TimeColumns columns_between(Picos begin, Picos end, std::uint32_t count);
/// From the first outage to the end of the last; outages that are never over last to the end of a
/// tenth more. There is an outage.
TimeColumns time_columns(const std::vector<Outage>& outages, std::uint32_t count);

/// Of some ordered pairs of nodes, the largest share that is interrupted within each column, in
/// millionths.
using InterruptedShare = std::vector<std::uint32_t>;

/// Of the pairs of each class that coexist, where there are any.
std::vector<std::pair<PairClass, InterruptedShare>> share_by_class(
    const std::vector<Outage>& outages, const std::vector<std::uint32_t>& zones,
    const TimeColumns& columns, const Presence& presence = {});

/// Of the pairs of each node, in both directions.
std::vector<InterruptedShare> share_by_node(const std::vector<Outage>& outages, std::uint32_t nodes,
                                            const TimeColumns& columns);

}  // namespace overlane::migration
