#include "bench/suite/collect.h"

#include <algorithm>
#include <fnmatch.h>

namespace overlane::suite {
namespace {

bool matches(const MetricPattern& pattern, const std::string& name) {
  const bool counts = pattern.tolerance == model::Tolerance::Instructions;
  return counts == (name == kInstructions) && fnmatch(pattern.value.c_str(), name.c_str(), 0) == 0;
}

model::MeasuredMetric& metric_named(const std::string& name, const MetricPattern& pattern,
                                    std::vector<model::MeasuredMetric>& metrics) {
  const auto known = std::ranges::find(
      metrics, name, [](const model::MeasuredMetric& m) { return m.metric.name; });
  if (known != metrics.end()) return *known;
  return metrics.emplace_back(model::MeasuredMetric{.metric = {.name = name,
                                                               .unit = pattern.unit,
                                                               .better = pattern.better,
                                                               .tolerance = pattern.tolerance},
                                                    .samples = {}});
}

}  // namespace

void collect(const std::vector<NamedFigure>& values, std::int64_t round,
             std::span<const MetricPattern> patterns, std::vector<model::MeasuredMetric>& metrics) {
  for (const NamedFigure& value : values) {
    const auto pattern = std::ranges::find_if(
        patterns, [&](const MetricPattern& one) { return matches(one, value.name); });
    if (pattern == patterns.end()) continue;
    metric_named(value.name, *pattern, metrics)
        .samples.push_back({.round = round, .value = value.figure});
  }
}

std::vector<std::string> unmatched(std::span<const MetricPattern> patterns,
                                   const std::vector<model::MeasuredMetric>& metrics) {
  std::vector<std::string> values;
  for (const MetricPattern& pattern : patterns)
    if (std::ranges::none_of(metrics, [&](const model::MeasuredMetric& measured) {
          return matches(pattern, measured.metric.name);
        }))
      values.push_back(pattern.value);
  return values;
}

}  // namespace overlane::suite
