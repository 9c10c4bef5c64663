#include "scenarios/runner/comparison.h"

#include <algorithm>
#include <array>

namespace overlane::runner {
namespace {

struct Metric {
  std::string_view name;
  std::int64_t (*value)(const model::TrafficResult&);
};

/// Named as in the report.
constexpr std::array kMetrics = {
    Metric{"throughput_bps", [](const model::TrafficResult& t) { return t.throughput_bps; }},
    Metric{"goodput_bps", [](const model::TrafficResult& t) { return t.goodput_bps; }},
    Metric{"latency_ns.p50",
           [](const model::TrafficResult& t) { return t.latency_ns.quantile(1, 2); }},
    Metric{"latency_ns.p99",
           [](const model::TrafficResult& t) { return t.latency_ns.quantile(99, 100); }},
};

std::optional<std::int64_t> ratio_ppm(std::int64_t value, std::int64_t baseline) {
  if (baseline == 0) return std::nullopt;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{value} * 1'000'000 / baseline);
}

}  // namespace

std::vector<model::Comparison> compare(const std::vector<model::Variant>& variants,
                                       const std::string& baseline) {
  std::vector<model::Comparison> rows;
  const auto base = std::ranges::find(variants, baseline, &model::Variant::name);
  if (base == variants.end() || base->ending != model::Ending::Complete) return rows;
  for (const model::TrafficResult& reference : base->traffic) {
    for (const Metric& metric : kMetrics) {
      for (const model::Variant& variant : variants) {
        const auto traffic =
            std::ranges::find(variant.traffic, reference.name, &model::TrafficResult::name);
        if (variant.name == baseline || traffic == variant.traffic.end()) continue;
        if (variant.ending != model::Ending::Complete) continue;
        rows.push_back({.traffic = reference.name,
                        .metric = std::string(metric.name),
                        .variant = variant.name,
                        .baseline = baseline,
                        .ratio_ppm = ratio_ppm(metric.value(*traffic), metric.value(reference))});
      }
    }
  }
  return rows;
}

}  // namespace overlane::runner
