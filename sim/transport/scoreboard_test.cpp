#include "sim/transport/scoreboard.h"

#include <gtest/gtest.h>

namespace overlane::transport {
namespace {

/// Ten segments of 100 bytes, all in flight.
Scoreboard ten_segments() {
  Scoreboard board;
  for (std::int64_t i = 0; i < 10; ++i)
    board.add(i * 100, 100);
  return board;
}

TEST(Scoreboard, PipeIsWhatIsNeitherAcknowledgedNorSackedNorLost) {
  Scoreboard board = ten_segments();
  EXPECT_EQ(board.pipe(), 1000);
  board.acknowledge(200);
  EXPECT_EQ(board.pipe(), 800);
  board.sack({500, 700});
  EXPECT_EQ(board.pipe(), 600);
  board.lose_all();
  EXPECT_EQ(board.pipe(), 0);
  board.retransmit_first_lost();
  EXPECT_EQ(board.pipe(), 100);
}

TEST(Scoreboard, ASegmentIsLostWhenThreeSentLaterHaveArrived) {
  Scoreboard board = ten_segments();
  board.sack({100, 300});
  EXPECT_FALSE(board.find_losses()) << "two later ones may have overtaken it";
  board.sack({300, 400});
  EXPECT_TRUE(board.find_losses());
  ASSERT_NE(board.first_lost(), nullptr);
  EXPECT_EQ(board.first_lost()->begin, 0);
  EXPECT_FALSE(board.find_losses()) << "known already";
}

TEST(Scoreboard, ARetransmissionCanBeLostAgain) {
  Scoreboard board = ten_segments();
  board.sack({100, 400});
  board.find_losses();
  board.retransmit_first_lost();
  EXPECT_EQ(board.first_lost(), nullptr);
  for (std::int64_t i = 10; i < 13; ++i)
    board.add(i * 100, 100);
  board.sack({400, 1200});
  EXPECT_FALSE(board.find_losses());
  board.sack({1200, 1300});
  EXPECT_TRUE(board.find_losses());
  EXPECT_EQ(board.first_lost()->begin, 0);
}

TEST(Scoreboard, SegmentsThatNoLongerFitAreCutAndLost) {
  Scoreboard board = ten_segments();
  board.sack({300, 400});
  board.shrink(60);
  EXPECT_EQ(board.pipe(), 0);
  EXPECT_EQ(board.first_lost()->length, 60u);
  board.retransmit_first_lost();
  EXPECT_EQ(board.first_lost()->begin, 60);
  EXPECT_EQ(board.first_lost()->length, 40u);
  board.acknowledge(130);
  EXPECT_EQ(board.first_lost()->begin, 130) << "the rest of a piece";
  EXPECT_EQ(board.first_lost()->length, 30u);
}

}  // namespace
}  // namespace overlane::transport
