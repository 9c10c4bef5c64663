#include "results/model/repeated.h"

#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace overlane::model {

std::optional<MeanInterval> mean_interval(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const auto add = [](double sum, std::int64_t value) { return sum + static_cast<double>(value); };
  const double mean = std::accumulate(values.begin(), values.end(), 0.0, add) / count;
  double squares = 0;
  for (const std::int64_t value : values) {
    const double off = static_cast<double>(value) - mean;
    squares += off * off;
  }
  const double error = std::sqrt(squares / (count - 1) / count);
  // Double precision suffices; without promotion half as much code is compiled.
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Plain> distribution(count - 1);
  return MeanInterval{mean, boost::math::quantile(distribution, 0.975) * error};
}

}  // namespace overlane::model
