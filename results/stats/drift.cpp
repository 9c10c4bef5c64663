#include "results/stats/drift.h"

#include <cmath>
#include <vector>

#include "results/stats/median.h"

namespace overlane::stats {

std::optional<double> drift_of(std::span<const double> values) {
  constexpr std::size_t kMin = 5;
  constexpr double kOnePercent = 2.576;  // Of the normal distribution, two-sided.
  if (values.size() < kMin) return std::nullopt;
  double rises = 0;  // Pairs that rise less those that fall.
  std::vector<double> slopes, intercepts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const double difference = values[j] - values[i];
      rises += difference > 0 ? 1 : difference < 0 ? -1 : 0;
      slopes.push_back(difference / static_cast<double>(j - i));
    }
  }
  const auto n = static_cast<double>(values.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  if ((std::abs(rises) - 1) / deviation < kOnePercent) return std::nullopt;
  const double slope = median(std::move(slopes));
  for (std::size_t i = 0; i < values.size(); ++i)
    intercepts.push_back(values[i] - slope * static_cast<double>(i));
  const double first = median(std::move(intercepts));
  if (first <= 0) return std::nullopt;
  return (first + slope * (n - 1)) / first;
}

}  // namespace overlane::stats
