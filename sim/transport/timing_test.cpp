#include <gtest/gtest.h>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/tcp_connection.h"

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

TEST(Pacing, IsExactAfterAnyNumberOfDatagrams) {
  // Three datagrams of 1,000 bytes per second at 24,000 bit/s: a third of a second is not a whole
  // number of picoseconds.
  const Pace pace(Bytes{1000}, {24'000});
  PacedTime time;
  time.advance(pace);
  EXPECT_EQ(time.offset(), picoseconds(333'333'333'333));
  for (int number = 1; number < 300'000; ++number)
    time.advance(pace);
  EXPECT_EQ(time.offset(), seconds(100'000));
}

}  // namespace timing_test
}  // namespace overlane::transport
