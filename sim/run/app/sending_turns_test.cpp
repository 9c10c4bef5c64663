#include "sim/run/app/sending_turns.h"

#include <gtest/gtest.h>

namespace overlane::run {
namespace {

TEST(SendingTurns, LastAsLongAsTheSchedulersTimeSlice) {
  EXPECT_EQ(SendingTurns::time_slice(1), microseconds(700));
  EXPECT_EQ(SendingTurns::time_slice(2), microseconds(1400));
  EXPECT_EQ(SendingTurns::time_slice(4), microseconds(2100));
  EXPECT_EQ(SendingTurns::time_slice(64), SendingTurns::time_slice(8));
}

TEST(SendingTurns, ALoneStreamHasAllOfThem) {
  SendingTurns turns(2);
  for (Picos now; now < milliseconds(10); now += microseconds(100))
    EXPECT_TRUE(turns.take(0, 7, now));
}

TEST(SendingTurns, WaitingStreamsFollowEachOther) {
  SendingTurns turns(2);
  const Picos slice = SendingTurns::time_slice(2);
  ASSERT_TRUE(turns.take(0, 1, {}));
  EXPECT_FALSE(turns.take(0, 2, {}));
  EXPECT_FALSE(turns.take(0, 3, microseconds(1)));
  EXPECT_TRUE(turns.take(1, 4, {})) << "another core has its own turns";
  EXPECT_TRUE(turns.take(0, 1, slice + Picos{-1}));
  EXPECT_EQ(turns.ends(0, microseconds(1)), slice);
  EXPECT_FALSE(turns.take(0, 1, slice)) << "it goes to the end of the queue";
  EXPECT_FALSE(turns.take(0, 3, slice));
  EXPECT_TRUE(turns.take(0, 2, slice));
  EXPECT_TRUE(turns.take(0, 3, slice * 2));
  EXPECT_TRUE(turns.take(0, 1, slice * 3));
}

TEST(SendingTurns, WhoWaitsForItsPeerHandsOver) {
  SendingTurns turns(2);
  ASSERT_TRUE(turns.take(0, 1, {}));
  EXPECT_EQ(turns.give_up(0, 1, microseconds(3)), kNone) << "no other stream waits for this core";
  ASSERT_TRUE(turns.take(0, 1, microseconds(4)));
  ASSERT_FALSE(turns.take(0, 2, microseconds(5)));
  EXPECT_EQ(turns.give_up(0, 2, microseconds(6)), kNone) << "it is not its turn";
  EXPECT_EQ(turns.give_up(0, 1, microseconds(6)), 2u);
  EXPECT_TRUE(turns.take(0, 2, microseconds(6)));
}

TEST(SendingTurns, DoNotWaitForOneThatHasEnded) {
  SendingTurns turns(1);
  const Picos slice = SendingTurns::time_slice(1);
  ASSERT_TRUE(turns.take(0, 1, {}));
  ASSERT_FALSE(turns.take(0, 2, {}));
  ASSERT_FALSE(turns.take(0, 3, {}));
  EXPECT_FALSE(turns.take(0, 3, slice));
  EXPECT_TRUE(turns.take(0, 3, slice * 2));
}

}  // namespace
}  // namespace overlane::run
