#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/stats/judge.h"
#include "results/stats/power.h"

namespace overlane::stats {

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
