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

// Trends: one metric of a suite over many nights, to find changes that are too small for one
// night's comparison, and the night since when they are there. The values of a time are made
// comparable first (TrendOf); then find_groups() splits them into groups of nights that differ by
// noise alone, and each border between two groups is a step with its commits. All functions are
// pure; indexes refer to the runs given.

/// The last value of a series over the first one, on the line through it, if it rises or falls
/// steadily: by the test of Mann ("Nonparametric tests against trend", 1945) at 1 %, with the slope
/// of Sen ("Estimates of the regression coefficient based on Kendall's tau", 1968). Nothing for
/// fewer than five values.
std::optional<double> drift_of(std::span<const double> values);

/// How the values of a trend are computed.
enum class TrendOf {
  Value,      ///< The metric itself: deterministic metrics.
  Base,       ///< A time divided by that of one base build, measured in alternation.
  Yardstick,  ///< A time divided by the yardstick of its tolerance, on one class of machine.
};

std::string_view to_string(TrendOf of);

/// The value of one run.
struct TrendPoint {
  std::size_t run = 0;  ///< Index in the runs given.
  double value = 0;

  bool operator==(const TrendPoint&) const = default;
};

/// A change from one group of runs to the next.
struct TrendStep {
  std::size_t before = 0;  ///< Index of the last run before the step.
  std::size_t after = 0;   ///< Index of the first run after the step.
  double ratio = 1;        ///< Mean of the later group divided by that of the earlier one.
  bool is_worse = false;
};

/// One metric over the runs of a suite.
struct MetricTrend {
  std::string case_name;
  std::string owner;
  model::Metric metric;
  TrendOf of = TrendOf::Value;
  std::vector<TrendPoint> points;
  std::vector<Group> groups;        ///< Groups of the points, without spikes.
  std::vector<TrendStep> steps;     ///< Steps between groups that are at least half the limit.
  std::vector<std::size_t> spikes;  ///< Indexes of points that are alone in their group.
  /// Number of runs on another class of machine or against another base: they are left out.
  std::size_t left_out = 0;
  /// The end of the series over its beginning, if it has more than one group.
  double ratio = 1;
  bool is_drift = false;  ///< A slow change: `ratio` is drift_of() the values.
  /// Same, Better or Worse, by the ratio and the limit; Changed; Accepted, against the latest
  /// run's base; NotJudged: too few times.
  MetricVerdict verdict = MetricVerdict::Same;
};

/// The smallest number of times that is judged.
inline constexpr std::size_t kMinTimes = 5;

/// The trend of each metric of the latest run over all given runs of its suite, the oldest first;
/// runs that are the base of others count as bases only.
///
/// Times are taken over their base if at least kMinTimes runs have the base of the latest run,
/// and otherwise over the yardsticks; fewer than kMinTimes are not judged. They are split into
/// groups (find_groups()); a point that is alone between two groups is a spike. A last point that
/// is alone waits for the next night. Exact metrics and instructions change where two runs differ
/// by more than the limit.
std::vector<MetricTrend> find_trends(const std::vector<model::SuiteRun>& runs);

/// Splits the points of a time into groups, spikes and steps, and judges it.
void analyse(MetricTrend& trend);

}  // namespace overlane::stats
