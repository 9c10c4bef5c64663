#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::stats {

// Statistics of measured times: medians with bootstrap intervals, and the division of a series into
// groups that differ by more than noise. All functions are pure and deterministic: random draws
// depend only on the number of values. They may be called from any thread.

/// An estimate with its 95 % confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  bool contains(double other) const { return low <= other && other <= high; }
  double half_width() const { return (high - low) / 2; }
  bool operator==(const Estimate&) const = default;
};

/// The middle value, or the mean of the two middle ones. `values` must not be empty.
double median(std::vector<double> values);

/// Number of lists that the bootstrap draws (Efron, "Bootstrap methods: another look at the
/// jackknife", 1979). Each list is drawn with replacement from the given values. The interval of a
/// statistic is the 2.5 % and 97.5 % quantiles of its values for these lists. The draws depend only
/// on the number of values, so that the same values give the same interval everywhere.
inline constexpr std::size_t kResamples = 2000;

/// The median with its bootstrap interval. `values` must not be empty.
Estimate median_estimate(std::span<const double> values);

/// The ratio of medians, `changed` over `base`, of two unpaired samples, with its bootstrap
/// interval. Neither sample may be empty; all values must be positive.
Estimate median_ratio_estimate(std::span<const double> base, std::span<const double> changed);

/// Consecutive values of a series that differ by noise alone.
struct Group {
  std::size_t first = 0;  ///< Index in the series.
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< Standard deviation of the values.

  std::size_t end() const { return first + count; }
};

/// Splits a series of non-negative values into groups, by minimum description length, like jumpavg
/// of FD.io CSIT. Each group is described as normally distributed values around its mean; the split
/// with the fewest bits is chosen. There is no threshold: a new group saves bits if the step is
/// large relative to the noise, or lasts long enough.
///
/// The bits of a group describe its size, its mean (a mean far from the previous group's costs
/// fewer bits), its deviation, and the position of its values on the sphere that mean and deviation
/// define. Values are rounded to 1/8191 of the largest. The search extends every open group by each
/// value, and keeps the best split of the values before it. Time and memory are quadratic in the
/// number of values.
std::vector<Group> find_groups(std::span<const double> values);

/// The number of bits that describe the values in groups that begin at the indexes `firsts`; the
/// first index must be 0.
double description_bits(std::span<const double> values, std::span<const std::size_t> firsts);

}  // namespace overlane::stats
