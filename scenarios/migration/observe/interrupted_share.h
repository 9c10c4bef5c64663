#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/migration/observe/outages.h"

namespace overlane::migration {

/// How many of a class's ordered pairs of nodes are interrupted over time.
struct InterruptedShare {
  PairClass which{};
  Picos begin;   ///< Of the first column, which is when the first pair is interrupted.
  Picos column;  ///< The length of each.
  /// The largest share within each column, in millionths.
  std::vector<std::uint32_t> ppm;
};

/// Of both classes, from the first outage to the end of the last, in so many columns (at least 1);
/// outages that are never over last to the end of a tenth more. Nothing where there is no outage.
std::vector<InterruptedShare> interrupted_share(const std::vector<Outage>& outages,
                                                const std::vector<std::uint32_t>& zones,
                                                std::uint32_t columns);

}  // namespace overlane::migration
