#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/model/suite_run.h"
#include "results/stats/estimate.h"
#include "results/stats/judge.h"

namespace overlane::stats {

/// The last value of a series over the first one, on the line through it, if it rises or falls
/// steadily: by the test of Mann ("Nonparametric tests against trend", 1945) at 1 %, with the slope
/// of Sen ("Estimates of the regression coefficient based on Kendall's tau", 1968). Nothing for
/// fewer than five values.
std::optional<double> drift_of(std::span<const double> values);

/// What the values of a trend are.
enum class TrendOf {
  Value,      ///< The metric itself, of a deterministic one.
  Base,       ///< A time over that of the same base build, measured in alternation.
  Yardstick,  ///< A time over the yardstick of its tolerance, on one class of machine.
};

std::string_view to_string(TrendOf of);

struct TrendPoint {
  std::size_t run = 0;  ///< Index in the runs given.
  double value = 0;

  bool operator==(const TrendPoint&) const = default;
};

/// A change from one group of runs to the next.
struct TrendStep {
  std::size_t before = 0;  ///< Index of the last run before it in the runs given.
  std::size_t after = 0;   ///< Of the first one after it.
  double ratio = 1;        ///< Mean of the group after over that of the group before.
  bool is_worse = false;
};

/// One metric over the runs of a suite.
struct MetricTrend {
  std::string case_name;
  std::string owner;
  model::Metric metric;
  TrendOf of = TrendOf::Value;
  std::vector<TrendPoint> points;
  std::vector<Group> groups;        ///< Of the points, without spikes.
  std::vector<TrendStep> steps;     ///< Between the groups, those of at least half the limit.
  std::vector<std::size_t> spikes;  ///< Indexes of points that are alone in their group.
  /// Runs that are left out: of another class of machine, or against another base.
  std::size_t left_out = 0;
  /// The end of the series over its beginning, if it has more than one group.
  double ratio = 1;
  bool is_drift = false;  ///< It changes little by little: `ratio` is that of the line through it.
  /// Same, Better or Worse, by the ratio and the limit; Changed; Accepted, against the latest
  /// run's base; NotJudged: too few times.
  Verdict verdict = Verdict::Same;
};

/// The trend of each metric of the latest run over all given runs of its suite, the oldest first;
/// runs that are the base of others are taken as such only.
///
/// Times are taken over their base if at least kMinTimes runs have the base of the latest run,
/// and otherwise over the yardsticks; fewer than kMinTimes are not judged. They are split into
/// groups (groups.h); a point that is alone between two groups is a spike. A last point that is
/// alone waits for the next night. Exact metrics and instructions change where two runs differ by
/// more than the limit.
std::vector<MetricTrend> find_trends(const std::vector<model::SuiteRun>& runs);
inline constexpr std::size_t kMinTimes = 5;

/// Splits the points of a time into groups, spikes and steps, and judges it.
void analyse(MetricTrend& trend);

}  // namespace overlane::stats
