#include "sim/core/testing/single_server.h"

#include <cmath>

namespace overlane::core::testing {

double standard_error(double load, std::int64_t customers) {
  const double variance = load * (2 + load * (5 - load * (4 - load))) / std::pow(1 - load, 4);
  return std::sqrt(variance / static_cast<double>(customers));
}

}  // namespace overlane::core::testing
