#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/model/suite_run.h"
#include "results/stats/judge.h"

namespace overlane::stats {

/// What a machine's noise hides and shows of one metric, from nights that were measured with the
/// same build on both sides (A/A).
struct Power {
  /// Of 1 - ratio of a night: 99 % of A/A nights have a smaller one. No limit below it is honest.
  double noise_floor = 0;
  /// Share of A/A nights that judge() calls worse.
  double false_alarms = 0;
  /// Share of A/A fortnights in which the trend is worse.
  double false_trends = 0;
  /// The smallest of kSteps that is found in nine of ten cases: by one night's comparison, and by
  /// the trend when 5 or 20 nights have it, after as many without it. Nothing: none of them.
  std::optional<double> found_in_a_night, found_in_5_nights, found_in_20_nights;
};

inline constexpr double kSteps[] = {0.01, 0.02, 0.03, 0.05, 0.075, 0.10, 0.15, 0.20, 0.30, 0.50};

/// The share of nights that judge() calls worse, and of series whose trend is worse, when the
/// changed build takes `slower` times longer. Nights are drawn from `round_ratios`, the ratios of
/// A/A rounds, in blocks of `rounds` that follow each other, so that what a neighbour does for
/// minutes stays together.
double share_worse_in_a_night(std::span<const double> round_ratios, std::size_t rounds,
                              model::Tolerance tolerance, double slower);
double share_worse_trends(std::span<const double> round_ratios, std::size_t rounds,
                          model::Tolerance tolerance, double slower, std::size_t before,
                          std::size_t after);

/// All of it. `round_ratios` has at least one block of `rounds`.
Power power_of(std::span<const double> round_ratios, std::size_t rounds,
               model::Tolerance tolerance);

/// The noise of one time of a suite, from runs of the same build on both sides.
struct MetricNoise {
  std::string case_name;
  model::Metric metric;
  std::size_t rounds = 0;  ///< That the noise was measured in.
  Power power;
};

/// The noise of each time of two alternated runs of the same build. A night is taken to have
/// `night_rounds` rounds; times with fewer are left out.
std::vector<MetricNoise> noise_of(const model::SuiteRun& base, const model::SuiteRun& same,
                                  std::size_t night_rounds);

/// The noise floors as limits.
void add_noise(const std::vector<MetricNoise>& noise, Limits& limits);

/// The first time whose noise is above a limit that was asked for.
const MetricNoise* above_asked(const std::vector<MetricNoise>& noise, const Limits& limits);

}  // namespace overlane::stats
