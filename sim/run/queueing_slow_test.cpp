#include <gtest/gtest.h>

#include "sim/run/testing/poisson_link.h"

namespace overlane::run {
namespace queueing_slow_test {

using namespace testing;

/// Ten million packets on a link wait as an M/D/1 queue does, within 2 %.
TEST(Queueing, OfALinkIsThatOfTheoryOverTenMillionPackets) {
  for (const std::int64_t load : {50, 80}) {
    const PoissonLink link = send_poisson(load, 10'000'000, 1);
    const double expected = PoissonLink::expected_wait(load);
    EXPECT_NEAR(link.mean_wait, expected, expected * 0.02);
    RecordProperty("wait_" + std::to_string(load), std::to_string(link.mean_wait));
  }
}

}  // namespace queueing_slow_test
}  // namespace overlane::run
