#include "results/stats/median.h"

#include <algorithm>
#include <cassert>

#include "sim/random/stream.h"

namespace overlane::stats {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Draws as many values as there are, each from all of them.
std::vector<double> resample(std::span<const double> values, RandomStream& stream) {
  std::vector<double> drawn;
  drawn.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    drawn.push_back(values[stream.below(values.size())]);
  return drawn;
}

Estimate between_quantiles(double value, std::vector<double> resampled) {
  std::ranges::sort(resampled);
  const std::size_t outside = resampled.size() / 40;  // 2.5 % on each side.
  return {value, resampled[outside], resampled[resampled.size() - 1 - outside]};
}

}  // namespace

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Estimate median_estimate(std::span<const double> values) {
  RandomStream stream(kSeed, StreamUse::Resamples, values.size());
  std::vector<double> medians;
  for (std::size_t i = 0; i < kResamples; ++i)
    medians.push_back(median(resample(values, stream)));
  return between_quantiles(median({values.begin(), values.end()}), std::move(medians));
}

Estimate median_ratio_estimate(std::span<const double> base, std::span<const double> changed) {
  RandomStream stream(kSeed, StreamUse::Resamples, base.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double below = median(resample(base, stream));
    ratios.push_back(median(resample(changed, stream)) / below);
  }
  const double ratio =
      median({changed.begin(), changed.end()}) / median({base.begin(), base.end()});
  return between_quantiles(ratio, std::move(ratios));
}

}  // namespace overlane::stats
