#include <gtest/gtest.h>

#include "sim/core/testing/single_server.h"

namespace overlane::core {
namespace queueing_test {

using namespace testing;

constexpr std::int64_t kCustomers = 400'000;
constexpr std::int64_t kService = 1'000'000;

// The scheduler and the server against queueing theory, within five standard errors: 4.3 % of the
// exponential wait at half load, 8.8 % at 80 %, and twice that of the fixed one. The slow test
// comes closer.

TEST(Queueing, ExponentialServiceWaitsAsTheorySays) {
  for (const std::int64_t load : {50, 80}) {
    const double rho = static_cast<double>(load) / 100;
    const auto result = run_single_server(kCustomers, load, Distribution::exponential(kService), 1);
    EXPECT_NEAR(result.mean_wait, wait_with_exponential_service(rho),
                5 * standard_error(rho, kCustomers));
  }
}

TEST(Queueing, FixedServiceWaitsHalfAsLong) {
  for (const std::int64_t load : {50, 80}) {
    const double rho = static_cast<double>(load) / 100;
    const auto result = run_single_server(kCustomers, load, Distribution::fixed(kService), 1);
    EXPECT_NEAR(result.mean_wait, wait_with_fixed_service(rho),
                5 * standard_error(rho, kCustomers));
  }
}

/// Little: the time integral of the number in the system is the sum of the stays, picosecond by
/// picosecond.
TEST(Queueing, LittlesLawHoldsExactly) {
  for (const Distribution& service :
       {Distribution::fixed(kService), Distribution::exponential(kService),
        Distribution::pareto(kService, 1'500, 1'000'000'000).value()}) {
    for (const std::int64_t load : {10, 80, 130}) {
      const auto result = run_single_server(50'000, load, service, 7);
      EXPECT_EQ(result.customers, 50'000);
      EXPECT_TRUE(result.sojourn == result.number_in_system) << load;
      EXPECT_TRUE(result.sojourn > WideInteger{50'000} * kService / 2);
    }
  }
}

}  // namespace queueing_test
}  // namespace overlane::core
