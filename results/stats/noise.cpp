#include "results/stats/noise.h"

#include <algorithm>

#include "results/stats/trend.h"

namespace overlane::stats {

std::vector<MetricNoise> noise_of(const model::SuiteRun& base, const model::SuiteRun& same,
                                  std::size_t night_rounds) {
  std::vector<MetricNoise> noise;
  for (const model::CaseRun& one : same.cases) {
    const model::CaseRun* other = find_case(base, one.name);
    if (other == nullptr) continue;
    for (const model::MeasuredMetric& measured : one.metrics) {
      const model::MeasuredMetric* before = find_metric(*other, measured.metric.name);
      if (!is_time(measured.metric.tolerance) || before == nullptr) continue;
      const auto ratios = round_ratios(*before, measured);
      if (ratios.size() < night_rounds) continue;
      noise.push_back({.case_name = one.name,
                       .metric = measured.metric,
                       .rounds = ratios.size(),
                       .power = power_of(ratios, night_rounds, measured.metric.tolerance)});
    }
  }
  return noise;
}

void add_noise(const std::vector<MetricNoise>& noise, Limits& limits) {
  for (const MetricNoise& one : noise)
    limits.noise[{one.case_name, one.metric.name}] = one.power.noise_floor;
}

const MetricNoise* above_asked(const std::vector<MetricNoise>& noise, const Limits& limits) {
  const auto found = std::ranges::find_if(noise, [&](const MetricNoise& one) {
    const auto asked = limits.asked.find(one.metric.tolerance);
    return asked != limits.asked.end() && asked->second < one.power.noise_floor;
  });
  return found == noise.end() ? nullptr : &*found;
}

}  // namespace overlane::stats
