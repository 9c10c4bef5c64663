#include <gtest/gtest.h>

#include "sim/core/testing/single_server.h"

namespace overlane::core {
namespace queueing_slow_test {

using namespace testing;

constexpr std::int64_t kCustomers = 10'000'000;
constexpr std::int64_t kService = 1'000'000;

/// Within 2 % of theory: at 80 % load six standard errors with exponential service.
TEST(Queueing, TenMillionCustomersWaitAsTheorySays) {
  for (const std::int64_t load : {50, 80}) {
    const double rho = static_cast<double>(load) / 100;
    const auto random = run_single_server(kCustomers, load, Distribution::exponential(kService), 1);
    const double expected = wait_with_exponential_service(rho);
    EXPECT_NEAR(random.mean_wait, expected, expected * 0.02);
    RecordProperty("exponential_" + std::to_string(load), std::to_string(random.mean_wait));
    const auto fixed = run_single_server(kCustomers, load, Distribution::fixed(kService), 1);
    EXPECT_NEAR(fixed.mean_wait, expected / 2, expected / 2 * 0.02);
    RecordProperty("fixed_" + std::to_string(load), std::to_string(fixed.mean_wait));
    EXPECT_TRUE(random.sojourn == random.number_in_system);
    EXPECT_TRUE(fixed.sojourn == fixed.number_in_system);
  }
}

}  // namespace queueing_slow_test
}  // namespace overlane::core
