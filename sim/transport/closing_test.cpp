#include <gtest/gtest.h>

#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {
namespace closing_test {

constexpr Picos kDelay = milliseconds(5);
constexpr std::int64_t kMss = 1448;

TcpPair established() {
  TcpPair tcp({}, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(100));
  tcp.log.clear();
  return tcp;
}

TEST(Closing, EndThatClosesFirstWaitsAMinute) {
  TcpPair tcp = established();
  tcp.client.write(100);
  tcp.client.close();
  tcp.run_for(kDelay);
  ASSERT_EQ(tcp.log.size(), 2u);
  EXPECT_TRUE(tcp.log[0].segment.fin);
  EXPECT_EQ(tcp.log[0].segment.length, 100u) << "FIN rides on the last data";
  EXPECT_TRUE(tcp.server.peer_closed());
  EXPECT_EQ(tcp.server.received(), 100) << "FIN is no data";
  EXPECT_EQ(tcp.log[1].segment.acknowledges, 101);

  tcp.server.write(50);  // Half closed: the other direction still sends.
  tcp.run_for(milliseconds(100));
  EXPECT_EQ(tcp.client.received(), 50);
  EXPECT_EQ(tcp.client.acknowledged(), 100);
  EXPECT_FALSE(tcp.client.closed() || tcp.client.time_waiting());

  const Picos closes = tcp.now();
  tcp.server.close();
  tcp.run_for(milliseconds(20));
  EXPECT_TRUE(tcp.server.closed());
  EXPECT_EQ(tcp.server.deadline(), kNever);
  EXPECT_TRUE(tcp.client.time_waiting());
  EXPECT_EQ(tcp.client.deadline(), closes + kDelay + kTimeWait);
  tcp.run_for(kTimeWait);
  EXPECT_TRUE(tcp.client.closed());
  EXPECT_EQ(tcp.client.deadline(), kNever);
}

TEST(Closing, ServerThatClosesFirstWaits) {
  TcpPair tcp({}, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.client.write(100);
  while (tcp.server.received() < 100)
    tcp.run_for(milliseconds(1));
  tcp.server.write(1'000);
  tcp.server.close();
  while (!tcp.client.peer_closed())
    tcp.run_for(milliseconds(1));
  tcp.client.close();
  tcp.run_for(kDelay * 3);
  EXPECT_EQ(tcp.client.received(), 1'000);
  EXPECT_TRUE(tcp.client.closed());
  EXPECT_TRUE(tcp.server.time_waiting()) << "it closed first";
}

struct FinLoss {
  const char* what;
  bool from_client;
  bool fin;  ///< False: the acknowledgement of a FIN.
};

class SurvivesTheLossOf : public testing::TestWithParam<FinLoss> {};

TEST_P(SurvivesTheLossOf, OneSegment) {
  TcpPair tcp = established();
  tcp.lose = [lost = false](const TcpPair::Sent& sent, int) mutable {
    const bool acknowledges_fin = !sent.segment.fin && sent.segment.acknowledges == 1;
    const bool chosen = sent.from_client == GetParam().from_client &&
                        (GetParam().fin ? sent.segment.fin : acknowledges_fin);
    return chosen && !std::exchange(lost, true);
  };
  tcp.client.close();
  tcp.run_for(milliseconds(50));
  tcp.server.close();
  tcp.run_for(seconds(2));
  EXPECT_TRUE(tcp.client.time_waiting()) << GetParam().what;
  EXPECT_TRUE(tcp.client.peer_closed() && tcp.server.peer_closed()) << GetParam().what;
  tcp.run_for(kTimeWait);
  EXPECT_TRUE(tcp.client.closed() && tcp.server.closed()) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(Closing, SurvivesTheLossOf,
                         testing::Values(FinLoss{"the first FIN", true, true},
                                         FinLoss{"its acknowledgement", false, false},
                                         FinLoss{"the second FIN", false, true},
                                         FinLoss{"the last acknowledgement", true, false}));

TEST(Closing, SimultaneousCloseLeavesBothEndsWaiting) {
  TcpPair tcp = established();
  tcp.client.close();
  tcp.server.close();
  tcp.run_for(milliseconds(20));
  EXPECT_TRUE(tcp.client.time_waiting());
  EXPECT_TRUE(tcp.server.time_waiting());
}

TEST(Closing, FinFollowsAllDataHoweverLate) {
  TcpPair tcp = established();
  tcp.lose = [lost = false](const TcpPair::Sent& sent, int) mutable {
    return sent.from_client && sent.segment.sequence == 3 * kMss && !std::exchange(lost, true);
  };
  tcp.client.write(10 * kMss);
  tcp.client.close();
  tcp.run_for(kDelay);
  EXPECT_EQ(tcp.server.received(), 3 * kMss);
  EXPECT_FALSE(tcp.server.peer_closed());
  tcp.run_for(milliseconds(50));
  EXPECT_EQ(tcp.server.received(), 10 * kMss);
  EXPECT_TRUE(tcp.server.peer_closed());
}

TEST(Closing, CloseBeforeTheHandshakeEndsTheConnectionAtOnce) {
  TcpPair tcp({}, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.client.close();
  EXPECT_TRUE(tcp.client.closed());
  EXPECT_FALSE(tcp.client.next(Picos{}).has_value());
}

}  // namespace closing_test
}  // namespace overlane::transport
