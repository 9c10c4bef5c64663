#include "results/stats/estimate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/random/stream.h"

namespace overlane::stats {

namespace {

constexpr std::uint64_t kSeed = 1;

/// Draws values.size() values with replacement.
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
  assert(!base.empty() && !changed.empty());
  assert(std::ranges::min(base) > 0 && std::ranges::min(changed) > 0);
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

namespace {

/// The largest value in units: 13 bits, more than the precision of a measurement.
constexpr double kLargest = (1 << 13) - 1;

/// Mean and deviation of values that are added one by one (Welford, 1962), in units.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;  ///< Sum of the squared distances from the mean.

  void add(double value) {
    const double distance = value - mean;
    count += 1;
    mean += distance / count;
    squares += distance * (value - mean);
  }
  double deviation() const { return std::sqrt(squares / count); }
};

/// Bits for a mean. For the first group all values up to the largest are equally likely; for later
/// groups, values far from the mean of the previous group are more likely.
double bits_of_mean(double mean, const double* previous) {
  if (previous == nullptr) return std::log2(kLargest + 1);
  const double before = *previous;
  const double all = before * before - (before - 1) * kLargest + kLargest * kLargest / 2;
  return std::log2(all / (std::abs(mean - before) + 1));
}

/// Bits for a deviation: smaller ones are more likely.
double bits_of_deviation(double deviation) {
  return std::log2((deviation + 1) * (deviation + 2)) + std::log2(1 - 1 / (kLargest + 2));
}

/// Bits for the direction of `count` values whose mean and deviation are known: they lie on a
/// sphere of count − 2 dimensions with the radius deviation · √count.
double bits_of_direction(double count, double deviation) {
  const double area = std::log(2) + std::log(std::numbers::pi) * (count - 1) / 2 -
                      std::lgamma((count - 1) / 2) + std::log(deviation + 1) * (count - 2) +
                      std::log(count) * (count - 2) / 2;
  return area / std::numbers::ln2;
}

double bits_of(const Moments& group, const double* previous_mean) {
  const double bits =
      std::log2(group.count * (group.count + 1)) + bits_of_mean(group.mean, previous_mean);
  if (group.count < 2) return bits;
  return bits + bits_of_deviation(group.deviation()) +
         bits_of_direction(group.count, group.deviation());
}

/// The best split of the values before an index.
struct Split {
  double bits = 0;
  std::size_t last_first = 0;  ///< Where its last group begins.
  Moments last;                ///< The last group; empty before the first value.
};

double unit_of(std::span<const double> values) {
  assert(!values.empty() && std::ranges::min(values) >= 0);
  const double largest = std::ranges::max(values);
  return largest > 0 ? largest / kLargest : 1;
}

}  // namespace

std::vector<Group> find_groups(std::span<const double> values) {
  if (values.empty()) return {};
  const double unit = unit_of(values);

  std::vector<Split> before(values.size() + 1);
  std::vector<Moments> open(values.size());  // The group from each index up to the current one.
  for (std::size_t end = 1; end <= values.size(); ++end) {
    Split& best = before[end];
    best.bits = std::numeric_limits<double>::infinity();
    // From the latest start: of equal splits, the one with the shortest last group.
    for (std::size_t first = end; first-- > 0;) {
      open[first].add(values[end - 1] / unit);
      const Split& rest = before[first];
      const double bits = rest.bits + bits_of(open[first], first == 0 ? nullptr : &rest.last.mean);
      if (bits < best.bits) best = {bits, first, open[first]};
    }
  }

  std::vector<Group> groups;
  for (std::size_t end = values.size(); end > 0; end = before[end].last_first) {
    const Split& split = before[end];
    groups.push_back({.first = split.last_first,
                      .count = end - split.last_first,
                      .mean = split.last.mean * unit,
                      .deviation = split.last.deviation() * unit});
  }
  std::ranges::reverse(groups);
  return groups;
}

double description_bits(std::span<const double> values, std::span<const std::size_t> firsts) {
  assert(!firsts.empty() && firsts.front() == 0 && std::ranges::is_sorted(firsts));
  const double unit = unit_of(values);
  double bits = 0;
  Moments previous;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : values.size();
    Moments group;
    for (std::size_t at = firsts[i]; at < end; ++at)
      group.add(values[at] / unit);
    bits += bits_of(group, i == 0 ? nullptr : &previous.mean);
    previous = group;
  }
  return bits;
}

}  // namespace overlane::stats
