#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overlane::model {

/// The mean of independent values, and how far the true one may be from it: with a probability of
/// 95 % it is within `mean` ± `half_width`.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// By Student's t-distribution with one degree of freedom less than there are values (Gosset, "The
/// probable error of a mean", 1908), as if they were normally distributed. Nothing for fewer than
/// two.
std::optional<MeanInterval> mean_interval(const std::vector<std::int64_t>& values);

/// One figure of a traffic group in each repetition of a run, in their order.
struct RepeatedFigure {
  std::string metric;  ///< "goodput_bps", "latency_ns.p50", "packets.dropped".
  std::vector<std::int64_t> values;

  bool operator==(const RepeatedFigure&) const = default;
};

}  // namespace overlane::model
