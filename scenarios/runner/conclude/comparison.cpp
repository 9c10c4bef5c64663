#include "scenarios/runner/conclude/comparison.h"

#include <algorithm>

#include "results/model/run_report.h"

namespace overlane::runner {
namespace {

std::optional<std::int64_t> ratio_ppm(const model::TrafficFigure& metric, std::int64_t value,
                                      std::int64_t baseline) {
  if (baseline == 0 || (value == 0 && metric.zero_is_none)) return std::nullopt;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{value} * 1'000'000 / baseline);
}

const std::vector<std::int64_t>* repeated(const model::TrafficResult& traffic,
                                          std::string_view metric) {
  const auto figure = std::ranges::find(traffic.repeated, metric, &model::RepeatedFigure::metric);
  return figure == traffic.repeated.end() ? nullptr : &figure->values;
}

/// The ratio in each repetition; repetitions with the same number have the same seed.
std::vector<std::int64_t> repeated_ppm(const model::TrafficResult& traffic,
                                       const model::TrafficResult& reference,
                                       const model::TrafficFigure& metric) {
  std::vector<std::int64_t> ratios;
  const auto* values = repeated(traffic, metric.name);
  const auto* baselines = repeated(reference, metric.name);
  if (values == nullptr || baselines == nullptr) return ratios;
  for (std::size_t i = 0; i < std::min(values->size(), baselines->size()); ++i) {
    const auto ratio = ratio_ppm(metric, (*values)[i], (*baselines)[i]);
    if (!ratio) return {};
    ratios.push_back(*ratio);
  }
  return ratios;
}

}  // namespace

std::vector<model::Comparison> compare(const std::vector<model::Variant>& variants,
                                       const std::string& baseline) {
  std::vector<model::Comparison> rows;
  const auto base = std::ranges::find(variants, baseline, &model::Variant::name);
  if (base == variants.end() || base->ending != model::Ending::Complete) return rows;
  for (const model::TrafficResult& reference : base->traffic) {
    for (const model::TrafficFigure& metric : model::kTrafficFigures) {
      if (!metric.is_of(reference)) continue;
      for (const model::Variant& variant : variants) {
        const auto traffic =
            std::ranges::find(variant.traffic, reference.name, &model::TrafficResult::name);
        if (variant.name == baseline || traffic == variant.traffic.end()) continue;
        if (variant.ending != model::Ending::Complete) continue;
        rows.push_back(
            {.traffic = reference.name,
             .metric = std::string(metric.name),
             .variant = variant.name,
             .baseline = baseline,
             .ratio_ppm = ratio_ppm(metric, metric.value(*traffic), metric.value(reference)),
             .repeated_ppm = repeated_ppm(*traffic, reference, metric)});
      }
    }
  }
  return rows;
}

}  // namespace overlane::runner
