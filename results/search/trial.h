#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/units.h"
#include "results/search/goal.h"

namespace overlane::search {

/// What became of the packets of one trial.
struct Trial {
  Picos duration;
  std::int64_t offered = 0;    ///< At least 1.
  std::int64_t forwarded = 0;  ///< At most `offered`.

  double loss_ratio() const {
    return static_cast<double>(offered - forwarded) / static_cast<double>(offered);
  }
};

/// What the trials at one load say about it (RFC 9971, "Load Classification").
enum class LoadClass : std::uint8_t {
  Undecided,   ///< Further trials may still make it either.
  LowerBound,  ///< It reaches the goal, whatever further trials within the duration sum would be.
  UpperBound,  ///< It does not.
};

/// Classifies a load by all trials at it.
LoadClass classify(std::span<const Trial> trials, const Goal& goal);

/// The forwarding rate to be expected at a load that is a lower bound: that of the full-length
/// trial at the quantile of the exceed ratio (RFC 9971, "Conditional Throughput"). 0 without a
/// full-length trial.
double conditional_throughput(std::int64_t load, std::span<const Trial> trials, const Goal& goal);

}  // namespace overlane::search
