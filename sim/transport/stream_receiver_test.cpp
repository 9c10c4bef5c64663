#include "sim/transport/stream_receiver.h"

#include <gtest/gtest.h>

namespace overlane::transport {
namespace stream_receiver_test {

Segment bytes(std::int64_t begin, std::int64_t end) {
  return {.sequence = begin, .length = static_cast<std::uint32_t>(end - begin)};
}
Segment acknowledgement(StreamReceiver& receiver) {
  Segment segment;
  receiver.acknowledge(segment);
  return segment;
}

TEST(StreamReceiver, ReportsBlocksBeyondAGapLatestFirst) {
  StreamReceiver receiver(10'000, true);
  receiver.receive(bytes(100, 200), Picos{});
  receiver.receive(bytes(300, 400), Picos{});
  receiver.receive(bytes(200, 250), Picos{});
  const Segment ack = acknowledgement(receiver);
  EXPECT_EQ(ack.acknowledges, 0);
  ASSERT_EQ(ack.sack.size(), 2);
  EXPECT_EQ(ack.sack[0], (SackBlock{100, 250}));
  EXPECT_EQ(ack.sack[1], (SackBlock{300, 400}));
  EXPECT_EQ(ack.ip_bytes(), 52u + 4u + 16u);
}

TEST(StreamReceiver, FillingTheGapIsAcknowledgedAtOnce) {
  StreamReceiver receiver(10'000, true);
  receiver.receive(bytes(100, 200), Picos{});
  acknowledgement(receiver);
  receiver.receive(bytes(0, 100), Picos{});
  EXPECT_TRUE(receiver.must_acknowledge(Picos{}));
  EXPECT_EQ(acknowledgement(receiver).acknowledges, 200);
}

TEST(StreamReceiver, EchoesTheEarliestSegmentThatAnAcknowledgementCovers) {
  StreamReceiver receiver(10'000, true);
  Segment first = bytes(0, 100);
  first.timestamp = microseconds(1);
  Segment second = bytes(100, 200);
  second.timestamp = microseconds(2);
  receiver.receive(first, microseconds(10));
  receiver.receive(second, microseconds(11));
  EXPECT_EQ(acknowledgement(receiver).echo, microseconds(1));
}

TEST(StreamReceiver, NeverEchoesAnOvertakenSegment) {
  StreamReceiver receiver(10'000, true);
  Segment second = bytes(0, 100);  // A retransmission that overtakes the first transmission.
  second.timestamp = microseconds(2);
  receiver.receive(second, microseconds(10));
  EXPECT_EQ(acknowledgement(receiver).echo, microseconds(2));
  Segment first = bytes(0, 100);
  first.timestamp = microseconds(1);
  receiver.receive(first, microseconds(11));
  EXPECT_EQ(acknowledgement(receiver).echo, microseconds(2)) << "RFC 7323 section 4.3";
}

TEST(StreamReceiver, MergesBlocksInAnyOrderOfArrival) {
  StreamReceiver receiver(10'000, true);
  for (const int begin : {700, 300, 500, 100, 600, 400, 200})
    receiver.receive(bytes(begin, begin + 100), Picos{});
  receiver.receive(bytes(350, 450), Picos{});
  const Segment ack = acknowledgement(receiver);
  ASSERT_EQ(ack.sack.size(), 1);
  EXPECT_EQ(ack.sack[0], (SackBlock{100, 800}));
  receiver.receive(bytes(0, 100), Picos{});
  EXPECT_EQ(receiver.received(), 800);
  EXPECT_FALSE(receiver.has_gap());
}

TEST(StreamReceiver, FinEndsTheStreamOnceEverythingBeforeItHasArrived) {
  StreamReceiver receiver(1'000, true);
  Segment last = bytes(100, 200);
  last.fin = true;
  receiver.receive(last, Picos{});
  EXPECT_FALSE(receiver.finished());
  receiver.receive(bytes(0, 100), Picos{});
  EXPECT_TRUE(receiver.finished());
  EXPECT_EQ(receiver.received(), 200);
  const Segment ack = acknowledgement(receiver);
  EXPECT_EQ(ack.acknowledges, 201);
  EXPECT_EQ(ack.window, 800) << "FIN takes no room";
}

TEST(StreamReceiver, AcknowledgesAWindowProbeButNoOtherEmptySegment) {
  StreamReceiver receiver(1'000, true);
  receiver.receive(bytes(0, 1'000), Picos{});
  acknowledgement(receiver);
  receiver.receive({.sequence = 1'000}, Picos{});
  EXPECT_FALSE(receiver.must_acknowledge(Picos{}));
  receiver.receive({.sequence = 999}, Picos{});
  EXPECT_TRUE(receiver.must_acknowledge(Picos{}));
}

TEST(StreamReceiver, WindowIsTheFreePartOfTheBuffer) {
  StreamReceiver receiver(1'000, true);
  receiver.receive(bytes(0, 400), Picos{});
  EXPECT_EQ(acknowledgement(receiver).window, 600);
  receiver.receive(bytes(400, 1000), Picos{});
  EXPECT_EQ(acknowledgement(receiver).window, 0);
  receiver.read(400);
  EXPECT_FALSE(receiver.must_acknowledge(Picos{})) << "less than half of the buffer";
  receiver.read(100);
  EXPECT_TRUE(receiver.must_acknowledge(Picos{})) << "a window update";
}

TEST(StreamReceiver, DuplicateDataIsAcknowledgedAtOnceAndCountedOnce) {
  StreamReceiver receiver(1'000, true);
  receiver.receive(bytes(0, 100), Picos{});
  acknowledgement(receiver);
  receiver.receive(bytes(0, 100), Picos{});
  EXPECT_TRUE(receiver.must_acknowledge(Picos{}));
  EXPECT_EQ(receiver.received(), 100);
}

}  // namespace stream_receiver_test
}  // namespace overlane::transport
