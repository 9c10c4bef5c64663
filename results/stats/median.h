#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/finding/result.h"

namespace overlane::stats {

/// An estimate with its 95 % confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  bool contains(double other) const { return low <= other && other <= high; }
  double half_width() const { return (high - low) / 2; }
  bool operator==(const Estimate&) const = default;
};

/// The middle value, or the mean of the two middle ones. Not of an empty list.
double median(std::vector<double> values);

/// The interval of a statistic by the bootstrap (Efron, "Bootstrap methods: another look at the
/// jackknife", 1979): the 2.5 % and 97.5 % quantiles of the statistic of kResamples lists, each
/// drawn with replacement from the given one. The draws depend on nothing but the number of values,
/// so that the same values give the same interval everywhere.
inline constexpr std::size_t kResamples = 2000;

/// Of the median. Not of an empty list.
Estimate median_estimate(std::span<const double> values);

/// Of the ratio of medians, new over base, of two samples that are not paired. All positive.
Estimate median_ratio_estimate(std::span<const double> base, std::span<const double> changed);

}  // namespace overlane::stats
