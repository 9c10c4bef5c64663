#include "results/report/run_effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "results/model/run_report.h"
#include "results/report/run_document.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {
namespace effects {

using model::Comparison;
using model::RunReport;
using model::TrafficResult;
using model::VariantResult;

constexpr std::int64_t kOne = 1'000'000;
constexpr std::string_view kLatency = "latency_ns.p50";

/// A kind of change: a metric that rises or falls.
struct EffectKind {
  std::string_view metric;
  bool rises;
  bool is_harm;
  std::string_view text;
};
constexpr std::array kEffectKinds = {
    EffectKind{"goodput_bps", false, true, "less goodput"},
    EffectKind{kLatency, true, true, "more median latency"},
    EffectKind{model::kConnections, false, true, "fewer connections"},
    EffectKind{"goodput_bps", true, false, "more goodput"},
    EffectKind{kLatency, false, false, "less median latency"},
    EffectKind{model::kConnections, true, false, "more connections"}};

const TrafficResult* result_of(const VariantResult& variant, const std::string& traffic) {
  const auto found = std::ranges::find(variant.traffic, traffic, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

const VariantResult* variant_of(const RunReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.variants, name, &VariantResult::name);
  return found == report.variants.end() ? nullptr : &*found;
}

/// True if a comparison is about the judged figure of its traffic (model::judged_figure()). False
/// if the traffic stayed in one zone although it was configured to cross zones.
bool is_judged(const RunReport& report, const Comparison& comparison) {
  if (stays_in_one_zone(report, comparison.traffic)) return false;
  const VariantResult* variant = variant_of(report, comparison.variant);
  const TrafficResult* result =
      variant == nullptr ? nullptr : result_of(*variant, comparison.traffic);
  return result != nullptr && comparison.metric == model::judged_figure(*result);
}

/// The change of a comparison on one side; for a range, the change at its end on this side.
std::int64_t change_on_side(const Comparison& comparison, bool rises) {
  const std::int64_t ratio = comparison.ratio_ppm.value_or(kOne);
  if (!comparison.range) return ratio - kOne;
  return (rises ? comparison.range->high_ppm : comparison.range->low_ppm) - kOne;
}

double factor_of(std::int64_t change_ppm) {
  const double ratio = std::max(1 + static_cast<double>(change_ppm) / kOne, 1e-9);
  return std::max(ratio, 1 / ratio);
}

/// The largest effect of one kind; without a comparison if none is noticeable.
Effect strongest(const RunReport& report, const VariantResult& variant, const EffectKind& kind) {
  Effect found{.is_harm = kind.is_harm, .what = kind.text};
  for (const Comparison& comparison : report.comparison) {
    if (comparison.variant != variant.name || comparison.metric != kind.metric) continue;
    if (!is_judged(report, comparison)) continue;
    const std::int64_t change = change_on_side(comparison, kind.rises);
    if ((change > 0) != kind.rises || std::abs(change) < kNoticeablePpm) continue;
    if (found.comparison != nullptr && std::abs(change) <= found.change_ppm) continue;
    found.comparison = &comparison;
    found.change_ppm = std::abs(change);
    found.factor = factor_of(change);
  }
  return found;
}

/// A ratio's change in tenths of a percent, rounded to the nearest.
long tenths(std::int64_t ppm) {
  return std::lround(static_cast<double>(ppm) / 1e3);
}

std::string percent(std::int64_t ppm, RangeDigits digits) {
  if (digits == RangeDigits::Tenths)
    return fmt::format("{:+.1f}", static_cast<double>(tenths(ppm)) / 10);
  const double value = static_cast<double>(ppm) / 1e4;
  return fmt::format("{:+}", std::lround(value));
}

/// How good a figure is by its ratio to the baseline's: above 1 is better.
double goodness(const Comparison& comparison) {
  const double ratio =
      std::max(static_cast<double>(comparison.ratio_ppm.value_or(kOne)) / kOne, 1e-9);
  return comparison.metric == kLatency ? 1 / ratio : ratio;
}

/// How good each compared variant is for one group of traffic; the baseline is 1.
std::map<std::string, double> goodness_of(const RunReport& report, const std::string& traffic) {
  std::map<std::string, double> all;
  for (const Comparison& comparison : report.comparison) {
    if (comparison.traffic != traffic || !comparison.ratio_ppm) continue;
    if (!is_judged(report, comparison)) continue;
    all[comparison.variant] = goodness(comparison);
    all[comparison.baseline] = 1;
  }
  return all;
}

/// Two variants that are each better than the other for some group of traffic.
struct Flip {
  std::string first, second;          ///< Variants.
  std::string for_first, for_second;  ///< Traffic.
  double size = 0;                    ///< The smaller of the two advantages, as a factor.
};

/// The traffic group with the largest advantage of `a` over `b`, and the factor.
std::pair<std::string, double> best_for(
    const std::map<std::string, std::map<std::string, double>>& by_traffic, const std::string& a,
    const std::string& b) {
  std::pair<std::string, double> best{"", 1 + static_cast<double>(kNoticeablePpm) / kOne};
  for (const auto& [traffic, variants] : by_traffic) {
    const auto one = variants.find(a), other = variants.find(b);
    if (one == variants.end() || other == variants.end()) continue;
    const double factor = one->second / other->second;
    if (factor > best.second) best = {traffic, factor};
  }
  return best;
}

}  // namespace effects
}  // namespace

std::string metric_label(std::string metric) {
  for (const std::string_view unit : {"_bps", "_ns"}) {
    if (const std::size_t at = metric.find(unit); at != std::string::npos)
      metric.erase(at, unit.size());
  }
  constexpr std::string_view kPerSecond = "_per_second";
  if (const std::size_t at = metric.find(kPerSecond); at != std::string::npos)
    metric.replace(at, kPerSecond.size(), "/s");
  std::ranges::replace(metric, '.', ' ');
  return metric;
}

std::string change_text(const model::Comparison& comparison, RangeDigits digits) {
  if (!comparison.ratio_ppm) return "";
  const std::string alone = change_text(*comparison.ratio_ppm);
  if (!comparison.range) return alone;
  const std::int64_t low = comparison.range->low_ppm - effects::kOne;
  const std::int64_t high = comparison.range->high_ppm - effects::kOne;
  // If both ends are the same text, it is printed once.
  if (effects::tenths(low) == effects::tenths(high)) return alone;
  const bool falls = low < 0 && high <= 0;
  constexpr std::int64_t kPercent = effects::kOne / 100;
  const bool is_small = std::max(std::abs(low), std::abs(high)) < kPercent;
  if (is_small || effects::percent(low, digits) == effects::percent(high, digits))
    digits = RangeDigits::Tenths;
  const std::string low_text = effects::percent(low, digits);
  const std::string high_text = effects::percent(high, digits);
  return falls ? fmt::format("{} to {} %", high_text, low_text)
               : fmt::format("{} to {} %", low_text, high_text);
}

std::vector<Effect> largest_effects(const model::RunReport& report,
                                    const model::VariantResult& variant) {
  std::vector<Effect> found;
  for (const effects::EffectKind& kind : effects::kEffectKinds) {
    const Effect effect = effects::strongest(report, variant, kind);
    if (effect.comparison != nullptr) found.push_back(effect);
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Effect::factor);
  return found;
}

std::string queued_latency_text(const model::RunReport& report,
                                const model::VariantResult& variant) {
  const model::Comparison* worst = nullptr;
  double factor = kQueuedFactor;
  for (const model::Comparison& one : report.comparison) {
    if (one.variant != variant.name || one.metric != effects::kLatency ||
        stays_in_one_zone(report, one.traffic))
      continue;
    const model::TrafficResult* result = effects::result_of(variant, one.traffic);
    if (result == nullptr || result->kind != model::TrafficKind::Tcp) continue;
    const double ratio =
        1 + static_cast<double>(effects::change_on_side(one, true)) / effects::kOne;
    if (ratio < factor) continue;
    worst = &one;
    factor = ratio;
  }
  if (worst == nullptr) return "";
  return fmt::format("up to {:.1f} times the median latency where TCP keeps its window full ({})",
                     factor, worst->traffic);
}

std::string order_text(const model::RunReport& report) {
  std::map<std::string, std::map<std::string, double>> by_traffic;
  std::vector<std::string> variants;
  for (const model::VariantResult& variant : report.variants) {
    variants.push_back(variant.name);
    for (const model::TrafficResult& result : variant.traffic)
      if (!by_traffic.contains(result.name))
        by_traffic[result.name] = effects::goodness_of(report, result.name);
  }
  effects::Flip largest;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    for (std::size_t j = i + 1; j < variants.size(); ++j) {
      const auto [for_first, first_factor] =
          effects::best_for(by_traffic, variants[i], variants[j]);
      const auto [for_second, second_factor] =
          effects::best_for(by_traffic, variants[j], variants[i]);
      const double size = std::min(first_factor, second_factor);
      if (for_first.empty() || for_second.empty() || size <= largest.size) continue;
      largest = {variants[i], variants[j], for_first, for_second, size};
    }
  }
  if (largest.first.empty()) return "";
  return fmt::format("{} is better than {} for {}, and worse for {}", largest.first, largest.second,
                     largest.for_first, largest.for_second);
}

}  // namespace overlane::report
