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

// Trends: one metric of a suite over many nights. A trend finds changes that are too small for the
// comparison of one night, and the night in which they began. The values of a time are normalised
// first (TrendOf). Then find_groups() splits them into groups of nights that differ by noise alone,
// and each border between two groups is a step with its commits. All functions are pure; indexes
// refer to the given runs.

/// If a series rises or falls steadily: the last value divided by the first value of a line through
/// the series. The test for a steady change is Mann's ("Nonparametric tests against trend", 1945)
/// at 1 %, and the slope is Sen's ("Estimates of the regression coefficient based on Kendall's
/// tau", 1968). Nothing without a steady change or for fewer than five values.
std::optional<double> drift_of(std::span<const double> values);

/// The kind of a trend's values.
enum class TrendOf {
  Value,      ///< The metric itself, for deterministic metrics.
  Base,       ///< A time divided by the time of one base build that alternated with it.
  Yardstick,  ///< A time divided by the yardstick of its tolerance; only one class of machine.
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
  double ratio = 1;        ///< Mean of the later group divided by the mean of the earlier group.
  bool is_worse = false;
};

/// One metric over the runs of a suite.
struct MetricTrend {
  std::string case_name;
  std::string owner;
  model::Metric metric;
  TrendOf of = TrendOf::Value;
  std::vector<TrendPoint> points;
  std::vector<Group> groups;        ///< Groups of the points except spikes.
  std::vector<TrendStep> steps;     ///< Steps between groups that are at least half the limit.
  std::vector<std::size_t> spikes;  ///< Indexes of points that are alone in their group.
  /// Number of omitted runs: other class of machine or other base.
  std::size_t left_out = 0;
  /// The end of the series divided by its beginning, if the series has more than one group.
  double ratio = 1;
  bool is_drift = false;  ///< A slow change: `ratio` is the drift_of() its values.
  /// Same, Better or Worse by `ratio` and the limit; Changed; Accepted relative to the latest run's
  /// base; NotJudged if there are too few times.
  MetricVerdict verdict = MetricVerdict::Same;
};

/// The smallest number of times in a judged trend.
inline constexpr std::size_t kMinTimes = 5;

/// The trend of each metric of the latest run over all given runs of its suite. `runs` begin with
/// the oldest. A run that is the base of another run counts only as a base.
///
/// Times are divided by the times of their base if at least kMinTimes runs have the base of the
/// latest run, otherwise by the yardsticks. Fewer than kMinTimes values are not judged.
/// find_groups() splits the values; a single point between two groups is a spike. A single last
/// point is not judged before the next night. Exact metrics and instructions have a step where two
/// consecutive runs differ by more than the limit.
std::vector<MetricTrend> find_trends(const std::vector<model::SuiteRun>& runs);

/// Splits the points of a time into groups, spikes and steps, and judges it.
void analyse(MetricTrend& trend);

}  // namespace overlane::stats
