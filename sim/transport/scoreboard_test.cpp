#include "sim/transport/scoreboard.h"

#include <deque>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::transport {

namespace ring_buffer_test {

TEST(RingBuffer, BehavesAsADequeWithStableNumbers) {
  RingBuffer<int> ring;
  std::deque<int> deque;
  RandomStream random(1, StreamUse::Pattern, 3);
  std::uint32_t first = 0;
  for (int i = 0; i < 10'000; ++i) {
    // Mostly grows, then mostly shrinks.
    const bool pops = random.below(10) < (i < 5'000 ? 4u : 6u);
    if (pops && !deque.empty()) {
      ring.pop_front();
      deque.pop_front();
      ++first;
    } else {
      const std::uint32_t number = ring.push_back(i);
      EXPECT_EQ(number, ring.last() - 1);
      deque.push_back(i);
    }
    ASSERT_EQ(ring.size(), deque.size());
    ASSERT_EQ(ring.first(), first);
    if (deque.empty()) {
      ring.release();
      continue;
    }
    ASSERT_EQ(ring.front(), deque.front());
    ASSERT_EQ(ring.back(), deque.back());
    const auto middle = static_cast<std::uint32_t>(random.below(deque.size()));
    ASSERT_EQ(ring[first + middle], deque[middle]);
  }
}

}  // namespace ring_buffer_test

namespace scoreboard_test {

constexpr Picos kRtt = milliseconds(10);

/// Ten segments of 100 bytes, sent at 0, 1, … 9 ms.
Scoreboard ten_segments() {
  Scoreboard board;
  for (int i = 0; i < 10; ++i)
    board.add(i * 100, 100, milliseconds(i));
  return board;
}
/// When the acknowledgement of segment `number` arrives.
Picos arrival(int number) {
  return milliseconds(number) + kRtt;
}
bool find_losses(Scoreboard& board, Picos now, bool in_recovery = false) {
  return board.find_losses(in_recovery, kRtt, now);
}

TEST(Scoreboard, PipeExcludesAcknowledgedSackedAndLostSegments) {
  Scoreboard board = ten_segments();
  EXPECT_EQ(board.pipe(), 1000);
  EXPECT_EQ(board.acknowledge(200, milliseconds(1), arrival(1)).bytes, 200);
  EXPECT_EQ(board.pipe(), 800);
  EXPECT_EQ(board.sack({500, 700}, arrival(6)), 200);
  EXPECT_EQ(board.sack({500, 800}, arrival(7)), 100) << "the rest is known";
  EXPECT_EQ(board.pipe(), 500);
  board.time_out(false, kRtt, seconds(1));
  EXPECT_EQ(board.pipe(), 0);
  board.retransmit_first_lost(seconds(1));
  EXPECT_EQ(board.pipe(), 100);
  EXPECT_EQ(board.acknowledge(1000, seconds(1), seconds(2)).bytes, 500);
  EXPECT_EQ(board.pipe(), 0);
  EXPECT_TRUE(board.empty());
}

// RFC 8985 section 6.2, step 4: if no reordering was seen, three sacked segments suffice.
TEST(Scoreboard, ASegmentIsLostWhenThreeSentLaterHaveArrived) {
  Scoreboard board = ten_segments();
  board.sack({100, 300}, arrival(2));
  EXPECT_FALSE(find_losses(board, arrival(2))) << "two later ones may have overtaken it";
  board.sack({300, 400}, arrival(3));
  EXPECT_TRUE(find_losses(board, arrival(3)));
  ASSERT_NE(board.first_lost(), nullptr);
  EXPECT_EQ(board.first_lost()->begin, 0);
  EXPECT_FALSE(find_losses(board, arrival(3))) << "known already";
}

// Step 5: a segment may be overtaken by a quarter of the minimum round-trip time.
TEST(Scoreboard, OvertakenByLessThanAQuarterOfTheRoundTripIsNotLost) {
  Scoreboard board;
  board.add(0, 100, milliseconds(0));
  board.add(100, 100, milliseconds(0));
  board.sack({100, 200}, milliseconds(10));
  EXPECT_FALSE(find_losses(board, milliseconds(10)));
  EXPECT_EQ(board.reordering_ends(), milliseconds(10) + microseconds(2'500));
  EXPECT_FALSE(find_losses(board, milliseconds(12)));
  Scoreboard reordered = board;
  EXPECT_TRUE(find_losses(board, milliseconds(10) + microseconds(2'500)));

  reordered.acknowledge(200, milliseconds(0), milliseconds(12));
  for (int i = 2; i < 7; ++i)
    reordered.add(i * 100, 100, milliseconds(20));
  reordered.sack({300, 700}, milliseconds(30));
  EXPECT_FALSE(find_losses(reordered, milliseconds(30)))
      << "reordering was seen: no number of sacked segments makes up for time";
  EXPECT_TRUE(find_losses(reordered, milliseconds(30) + microseconds(2'500)));
}

TEST(Scoreboard, ARetransmissionCanBeLostAgain) {
  Scoreboard board = ten_segments();
  board.sack({100, 400}, arrival(3));
  find_losses(board, arrival(3));
  board.retransmit_first_lost(milliseconds(13));
  EXPECT_EQ(board.first_lost(), nullptr);
  board.add(1000, 100, milliseconds(14));
  board.sack({400, 1000}, arrival(9));
  EXPECT_FALSE(find_losses(board, arrival(9), true)) << "all of them were sent before it";
  board.sack({1000, 1100}, milliseconds(24));
  EXPECT_TRUE(find_losses(board, milliseconds(24), true));
  EXPECT_EQ(board.first_lost()->begin, 0);
}

TEST(Scoreboard, ArrivalOfAnEarlierTransmissionDoesNotConfirmTheLatest) {
  for (const bool in_order : {false, true}) {
    Scoreboard board = ten_segments();
    board.sack({100, 400}, arrival(3));
    find_losses(board, arrival(3));
    board.retransmit_first_lost(milliseconds(13));
    board.add(1000, 100, milliseconds(14));
    // The first transmission of segment 0 arrived late: the timestamp shows it, or the second one
    // is less than a round trip old.
    if (in_order) {
      board.acknowledge(100, milliseconds(0), milliseconds(33));
    } else {
      board.sack({0, 100}, milliseconds(15));
    }
    EXPECT_FALSE(find_losses(board, milliseconds(33), true));
  }
}

TEST(Scoreboard, TimeoutKeepsRecentTransmissions) {
  Scoreboard board = ten_segments();
  board.acknowledge(100, milliseconds(0), arrival(0));
  board.add(1000, 100, milliseconds(195));
  board.time_out(false, kRtt, milliseconds(201));
  EXPECT_EQ(board.pipe(), 100) << "RFC 8985 section 6.3";
}

TEST(Scoreboard, OversizedSegmentsAreSplitAndLost) {
  Scoreboard board = ten_segments();
  board.sack({300, 400}, arrival(3));
  board.shrink(60);
  EXPECT_EQ(board.pipe(), 0);
  EXPECT_EQ(board.first_lost()->length, 60u);
  board.retransmit_first_lost(milliseconds(20));
  EXPECT_EQ(board.first_lost()->begin, 60);
  EXPECT_EQ(board.first_lost()->length, 40u);
  board.acknowledge(130, milliseconds(20), milliseconds(30));
  EXPECT_EQ(board.first_lost()->begin, 130) << "the rest of a fragment";
  EXPECT_EQ(board.first_lost()->length, 30u);
}

}  // namespace scoreboard_test

}  // namespace overlane::transport
