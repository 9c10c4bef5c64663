#include <gtest/gtest.h>

#include "sim/transport/retransmission_timeout.h"

namespace overlane::transport {
namespace timing_test {

TEST(RetransmissionTimeout, FollowsRfc6298WithinLinuxBounds) {
  RetransmissionTimeout timeout;
  EXPECT_EQ(timeout.timeout(), seconds(1));
  timeout.sample(milliseconds(100));
  EXPECT_EQ(timeout.timeout(), milliseconds(300)) << "SRTT 100, RTTVAR 50";
  timeout.sample(milliseconds(180));
  EXPECT_EQ(timeout.smoothed(), milliseconds(110));
  EXPECT_EQ(timeout.timeout(), milliseconds(110 + 4 * 57) + microseconds(4 * 500));
  for (int i = 0; i < 100; ++i)
    timeout.sample(microseconds(50));
  EXPECT_EQ(timeout.timeout(), milliseconds(200)) << "the least";
  for (int i = 0; i < 20; ++i)
    timeout.back_off();
  EXPECT_EQ(timeout.timeout(), seconds(120)) << "the most";
}

}  // namespace timing_test
}  // namespace overlane::transport
