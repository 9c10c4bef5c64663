#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/result.h"

namespace overlane::search {

/// What is searched: the largest load at which the trials lose no more than this. The terms are
/// those of RFC 9971 (MLRsearch), the defaults those of FD.io CSIT.
struct Goal {
  std::string name = "NDR";
  /// A trial that loses a larger share is a high-loss trial; 0 to below 1.
  double loss_ratio = 0;
  /// The share of the trials' time that may be of high-loss trials; 0 to below 1.
  double exceed_ratio = 0.5;
  /// The distance of the two relevant bounds, as a share of the upper one; above 0 and below 1.
  double width = 0.005;
  Picos trial = seconds(1);  ///< A shorter trial is a short one; above 0.
  Picos duration_sum =
      seconds(21);  ///< Of the trials that decide about one load; at least `trial`.
};

/// The goals of CSIT: NDR (no drop rate) loses nothing, PDR (partial drop rate) at most 0.5 %.
inline constexpr double kNdrLoss = 0;
inline constexpr double kPdrLoss = 0.005;

/// "NDR", "PDR", or "loss 0.1 %".
std::string goal_name(double loss_ratio);

/// Goals that differ in their loss ratio alone.
struct GoalSet {
  std::vector<double> loss_ratios{kNdrLoss, kPdrLoss};
  double exceed_ratio = Goal{}.exceed_ratio;
  double width = Goal{}.width;
  Picos trial = Goal{}.trial;
  std::uint32_t trials = 21;  ///< Whose durations are the duration sum; at least 1.

  /// In the order of their loss ratios.
  std::vector<Goal> goals() const;
};

/// Loads that a search may use, in packets per second.
struct LoadRange {
  std::int64_t min = 1;  ///< At least 1.
  std::int64_t max = 1;  ///< At least `min`.
};

/// What is wrong with goals: a value out of its range, the same goal twice, or none.
Parsed<void> check(std::span<const Goal> goals);
/// What is wrong with a range.
Parsed<void> check(const LoadRange& range);

/// The goal in front of which coarser ones with fewer trials find its neighbourhood: their duration
/// sums grow evenly from one trial to the goal's, their widths shrink by half (CSIT's
/// target_scaling). The last one is the goal itself.
std::vector<Goal> targets_of(const Goal& goal);

}  // namespace overlane::search
