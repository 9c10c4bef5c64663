#pragma once

#include <optional>
#include <span>

namespace overlane::stats {

/// The last value of a series over the first one, on the line through it, if it rises or falls
/// steadily: by the test of Mann ("Nonparametric tests against trend", 1945) at 1 %, with the slope
/// of Sen ("Estimates of the regression coefficient based on Kendall's tau", 1968). Nothing for
/// fewer than five values.
std::optional<double> drift_of(std::span<const double> values);

}  // namespace overlane::stats
