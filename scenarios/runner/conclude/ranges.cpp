#include "scenarios/runner/conclude/ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/forecast.h"

namespace overlane::runner {
namespace {

/// The first repetition of `plan` with the costs of each host, host by host.
Plan plan_of_hosts(const Prepared& prepared, const Plan& plan) {
  Plan hosts = plan;
  hosts.variants.clear();
  hosts.runs.clear();
  hosts.series.reset();
  hosts.seeds.resize(1);
  hosts.rounds.resize(1);
  for (auto& [manner, rounds] : hosts.other_rounds)
    rounds.resize(1);
  for (const cost::CostProfile& costs : prepared.cost_hosts) {
    const std::size_t first = hosts.variants.size();
    for (LaidOut variant : plan.variants) {
      if (variant.network) variant.network->costs = costs;
      hosts.variants.push_back(std::move(variant));
    }
    for (const PlannedRun& run : plan.runs)
      if (run.repetition == 0) hosts.runs.push_back({first + run.variant, 0, run.round});
  }
  return hosts;
}

bool all_complete(const Measurements& measured) {
  return std::ranges::all_of(measured, [](const auto& one) {
    return one && *one && (*one)->ending == model::Ending::Complete;
  });
}

/// Extends the range of each comparison by the ratio of the same row in `host`. A ratio that one
/// of the hosts does not have leaves no range.
void extend(std::vector<std::optional<model::RatioRange>>& ranges,
            const std::vector<model::Comparison>& rows,
            const std::vector<model::Comparison>& host) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = std::ranges::find_if(host, [&](const model::Comparison& one) {
      return one.traffic == rows[i].traffic && one.metric == rows[i].metric &&
             one.variant == rows[i].variant;
    });
    if (!ranges[i]) continue;
    if (same == host.end() || !same->ratio_ppm) {
      ranges[i].reset();
      continue;
    }
    ranges[i]->low_ppm = std::min(ranges[i]->low_ppm, *same->ratio_ppm);
    ranges[i]->high_ppm = std::max(ranges[i]->high_ppm, *same->ratio_ppm);
  }
}

}  // namespace

bool add_ranges(const Prepared& prepared, const Plan& plan, std::uint32_t threads,
                const Steering& steering, std::vector<model::Comparison>& comparison) {
  const Plan hosts = plan_of_hosts(prepared, plan);
  const Measurements measured = carry_out(hosts, threads, steering);
  if (!all_complete(measured)) return false;
  const auto variants = gather(hosts, measured);
  if (!variants) return false;
  std::vector<std::optional<model::RatioRange>> ranges;
  for (const model::Comparison& row : comparison)
    ranges.push_back(row.ratio_ppm
                         ? std::optional(model::RatioRange{*row.ratio_ppm, *row.ratio_ppm})
                         : std::nullopt);
  const auto count = static_cast<std::ptrdiff_t>(plan.variants.size());
  for (auto first = variants->begin(); first != variants->end(); first += count)
    extend(ranges, comparison,
           compare(std::vector(first, first + count), prepared.scenario.baseline));
  for (std::size_t i = 0; i < comparison.size(); ++i)
    comparison[i].range = ranges[i];
  return true;
}

double packets_of_ranges(const Prepared& prepared, const Plan& plan) {
  const double once =
      forecast(plan, 1).packets / static_cast<double>(std::max<std::size_t>(plan.seeds.size(), 1));
  return once * static_cast<double>(prepared.cost_hosts.size());
}

}  // namespace overlane::runner
