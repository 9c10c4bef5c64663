#include "results/model/series.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"

namespace overlane {

using model::DropSeries;
using Json = nlohmann::ordered_json;

Json JsonCodec<DropSeries>::encode(const DropSeries& drops, JsonDetail) {
  Json json = Json::object();
  for (const auto& [reason, counts] : drops)
    json[std::string(to_string(reason))] = counts;
  return json;
}

DropSeries JsonCodec<DropSeries>::decode(const JsonReader& json) {
  DropSeries drops;
  for (const auto& [reason, counts] : json.members()) {
    if (const auto drop = drop_named(reason))
      drops[*drop] = counts.integers();
    else
      counts.fault("not a reason for drops");
  }
  return drops;
}

Json JsonCodec<DropSeries>::schema() {
  return {{"type", "object"},
          {"propertyNames", model::drop_reason_schema()},
          {"additionalProperties", schema_of_fields<std::vector<std::int64_t>>()}};
}

namespace model {

Json drop_reason_schema() {
  Json names = Json::array();
  for (const DropFacts& reason : kDrops)
    names.push_back(reason.name);
  return {{"enum", std::move(names)}};
}

}  // namespace model

}  // namespace overlane

namespace overlane::model {
namespace {

__extension__ using Wide = __int128;
using Batches = std::span<const std::int64_t>;

/// Minimum number of batches for a result.
constexpr std::size_t kMinBatches = 10;

std::int64_t sum(Batches batches) {
  return std::accumulate(batches.begin(), batches.end(), std::int64_t{0});
}

/// mean(a) / mean(b) − 1. Neither list may be empty, and the sum of `b` must not be zero.
std::int64_t excess_ppm(Batches a, Batches b) {
  const Wide of_a = Wide{sum(a)} * static_cast<std::int64_t>(b.size());
  const Wide of_b = Wide{sum(b)} * static_cast<std::int64_t>(a.size());
  return static_cast<std::int64_t>(of_a * 1'000'000 / of_b) - 1'000'000;
}

/// Number of batches that MSER-5 removes; half of all if it finds no minimum in the first half.
std::size_t truncation(Batches batches) {
  // Minimise the squared standard error of the last m batches, (m Σx² − (Σx)²) / m³. Values are
  // scaled so that sums over 100 batches fit in 127 bits.
  const std::int64_t most = std::ranges::max(batches);
  const std::int64_t scale = most / 1'000'000'000 + 1;
  Wide sum = 0;
  Wide squares = 0;
  const auto take = [&](std::int64_t batch) {
    sum += batch / scale;
    squares += Wide{batch / scale} * (batch / scale);
  };
  std::size_t best = batches.size();
  Wide least = 0;  // Numerator of the minimum; fractions are compared by cross-multiplication.
  Wide best_cube = 1;
  for (std::size_t d = batches.size(); d-- > 0;) {
    take(batches[d]);
    if (d > batches.size() / 2) continue;
    const auto m = static_cast<std::int64_t>(batches.size() - d);
    const Wide spread = squares * m - sum * sum;
    const Wide cube = Wide{m} * m * m;
    if (best != batches.size() && spread * best_cube > least * cube) continue;
    best = d;
    least = spread;
    best_cube = cube;
  }
  return best;
}

/// Whether the batches increase or decrease significantly (1 %), by Mann's S. The variance n(n −
/// 1)(2n + 5)/18 assumes no ties; ties only reduce it.
bool has_trend(Batches batches) {
  constexpr double kAtOnePercent = 2.5758;
  std::int64_t score = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t j = i + 1; j < batches.size(); ++j)
      score += (batches[j] > batches[i]) - (batches[j] < batches[i]);
  }
  const auto n = static_cast<std::int64_t>(batches.size());
  const auto beyond = static_cast<double>(std::max<std::int64_t>(std::abs(score) - 1, 0));
  const auto variance = static_cast<double>(n * (n - 1) * (2 * n + 5)) / 18;
  return beyond * beyond >= kAtOnePercent * kAtOnePercent * variance;
}

/// Whether the ranks of two samples differ significantly (0.1 %), by Mann and Whitney's U, with
/// mean km/2 and variance km(k + m + 1)/12.
bool ranks_differ(Batches a, Batches b) {
  constexpr double kAtOnePerMille = 3.2905;
  std::int64_t twice = 0;  // 2U: ties count half.
  for (const std::int64_t x : a) {
    for (const std::int64_t y : b)
      twice += 2 * (y > x) + (y == x);
  }
  const auto pairs = static_cast<std::int64_t>(a.size() * b.size());
  const auto all = static_cast<std::int64_t>(a.size() + b.size());
  const double off = static_cast<double>(std::abs(twice - pairs)) / 2;
  const double variance = static_cast<double>(pairs * (all + 1)) / 12;
  return off * off >= kAtOnePerMille * kAtOnePerMille * variance;
}

std::int64_t drift_ppm(Batches batches) {
  if (!has_trend(batches)) return 0;
  const std::size_t third = batches.size() / 3;
  return excess_ppm(batches.last(third), batches) - excess_ppm(batches.first(third), batches);
}

}  // namespace

std::optional<SteadyState> find_steady_state(const std::vector<std::int64_t>& batches,
                                             std::size_t first, Picos duration) {
  const Batches all(batches);
  if (all.size() < first + kMinBatches) return std::nullopt;
  const Batches window = all.subspan(first);
  const auto busy = std::ranges::count_if(window, [](std::int64_t batch) { return batch > 0; });
  if (static_cast<std::size_t>(busy) * 2 < window.size()) return std::nullopt;

  const std::size_t cut = truncation(all);
  const bool found = cut < all.size() / 2;
  const std::size_t from = found ? std::max(cut, first) : first;
  SteadyState state{.drift_ppm = drift_ppm(all.subspan(from))};
  state.reached = std::abs(state.drift_ppm) < kWorstDriftPpm;
  if (!found && state.reached) return std::nullopt;
  const auto begin = static_cast<std::int64_t>(state.reached ? cut : first);
  state.from = duration / static_cast<std::int64_t>(all.size()) * begin;
  if (!state.reached) return state;
  if (from > first && ranks_differ(all.subspan(first, from - first), all.subspan(from))) {
    state.bias_ppm = excess_ppm(window, all.subspan(from));
  }
  return state;
}

}  // namespace overlane::model
