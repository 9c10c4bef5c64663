#include <gtest/gtest.h>

#include "sim/core/testing/single_server.h"
#include "sim/run/testing/poisson_link.h"

namespace overlane::run {
namespace queueing_test {

using namespace testing;

/// Packets at random on a link wait as an M/D/1 queue does. The bound is five standard errors of an
/// M/M/1 queue's wait, which are more: 12 % of the wait at half load, 25 % at 80 %.
TEST(Queueing, OfALinkIsThatOfTheory) {
  constexpr std::int64_t kPackets = 200'000;
  for (const std::int64_t load : {50, 80}) {
    const PoissonLink link = send_poisson(load, kPackets, 1);
    EXPECT_NEAR(link.mean_wait, PoissonLink::expected_wait(load),
                5 * core::testing::standard_error(static_cast<double>(load) / 100, kPackets));
  }
}

}  // namespace queueing_test
}  // namespace overlane::run
