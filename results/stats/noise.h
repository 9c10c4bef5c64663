#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/model/suite_run.h"
#include "results/stats/judge.h"

namespace overlane::stats {

// The noise of a machine, and its effect on verdicts. In an A/A night the same build runs on both
// sides, so that all differences are noise. power_of() draws nights and series of nights from the
// rounds of A/A nights and judges them with judge() and find_trends(). The result is the share of
// nights in which noise is called a regression, and the smallest slow-down that is found. The noise
// floors become JudgementLimits of later comparisons. Draws are deterministic.

/// The statistical power of verdicts about one metric on one machine.
struct Power {
  /// The ratio of 99 % of A/A nights is closer to 1 than this distance. A lower limit would call
  /// noise a regression.
  double noise_floor = 0;
  /// Share of A/A nights that judge() calls worse.
  double false_alarms = 0;
  /// Share of A/A fortnights whose trend is judged worse.
  double false_trends = 0;
  /// The smallest of kSteps that is found in nine of ten cases: by the comparison of one night, and
  /// by the trend when 5 or 20 nights with the step follow as many nights without it. Nothing if no
  /// step is found.
  std::optional<double> found_in_a_night, found_in_5_nights, found_in_20_nights;
};

/// Slow-downs that power_of() tries.
inline constexpr double kSteps[] = {0.01, 0.02, 0.03, 0.05, 0.075, 0.10, 0.15, 0.20, 0.30, 0.50};

/// The share of nights that judge() calls worse when the changed build takes `slower` times longer.
/// A night is a block of `rounds` consecutive values of `round_ratios` (the ratios of A/A rounds),
/// so that a disturbance of several minutes stays within one night. Requires `rounds` > 0 and at
/// least one block.
double share_worse_in_a_night(std::span<const double> round_ratios, std::size_t rounds,
                              model::Tolerance tolerance, double slower);
/// The share of series whose trend is worse, when `after` slower nights follow `before` nights.
/// Nights are drawn as for share_worse_in_a_night().
double share_worse_trends(std::span<const double> round_ratios, std::size_t rounds,
                          model::Tolerance tolerance, double slower, std::size_t before,
                          std::size_t after);

/// Computes all members of Power. Requires `rounds` > 0 and at least `rounds` values in
/// `round_ratios`.
Power power_of(std::span<const double> round_ratios, std::size_t rounds,
               model::Tolerance tolerance);

/// The noise of one time of a suite, from runs of the same build on both sides.
struct MetricNoise {
  std::string case_name;
  model::Metric metric;
  std::size_t rounds = 0;  ///< Number of measured rounds.
  Power power;
};

/// The noise of each time of two alternated runs of the same build, for nights of `night_rounds`
/// rounds (> 0). Times with fewer rounds are omitted.
std::vector<MetricNoise> noise_of(const model::SuiteRun& base, const model::SuiteRun& same,
                                  std::size_t night_rounds);

/// Adds the noise floors to `limits`.
void add_noise(const std::vector<MetricNoise>& noise, JudgementLimits& limits);

/// The first time whose noise is above a requested limit; nullptr if there is none.
const MetricNoise* above_requested(const std::vector<MetricNoise>& noise,
                                   const JudgementLimits& limits);

}  // namespace overlane::stats
