#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overlane::model {

/// The mean of independent values with its 95 % confidence interval, `mean` ± `half_width`.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// By Student's t-distribution with n − 1 degrees of freedom (Gosset, "The probable error of a
/// mean", 1908), assuming normally distributed values. Nothing for fewer than two.
std::optional<MeanInterval> mean_interval(const std::vector<std::int64_t>& values);

/// One figure of a traffic group in each repetition of a run, in their order.
struct RepeatedFigure {
  std::string metric;  ///< "goodput_bps", "latency_ns.p50", "packets.dropped".
  std::vector<std::int64_t> values;

  bool operator==(const RepeatedFigure&) const = default;
};

}  // namespace overlane::model
