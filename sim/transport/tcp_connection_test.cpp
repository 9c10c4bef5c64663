#include "sim/transport/tcp_connection.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {

namespace tcp_connection_test {

using testing::ElementsAre;

constexpr Picos kDelay = milliseconds(5);
constexpr Picos kRoundTrip = kDelay * 2;
constexpr std::uint32_t kMss = 1448;

TcpPair pair_with(TcpConnection::Config client = {}, TcpConnection::Config server = {}) {
  return TcpPair(client, server, kDelay);
}

/// Drops the first transmission of each of these data segments, counted from 0.
TcpPair::Loss lose_segments(std::set<int> numbers) {
  auto seen = std::make_shared<std::set<std::int64_t>>();
  return [numbers, seen](const TcpPair::Sent& sent, int) {
    if (!sent.from_client || sent.segment.length == 0) return false;
    const auto number = static_cast<int>(sent.segment.sequence / kMss);
    return numbers.contains(number) && seen->insert(sent.segment.sequence).second;
  };
}

TEST(TcpConnection, HandshakeNegotiatesTheSmallerMss) {
  TcpPair tcp = pair_with({.mtu = 1500}, {.mtu = 1450});
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(20));
  ASSERT_EQ(tcp.log.size(), 3u);
  EXPECT_EQ(tcp.log[0].segment.ip_bytes(), 60u) << "SYN";
  EXPECT_EQ(tcp.log[1].segment.ip_bytes(), 60u) << "SYN-ACK";
  EXPECT_EQ(tcp.log[2].segment.ip_bytes(), 52u) << "ACK";
  EXPECT_TRUE(tcp.client.established());
  EXPECT_TRUE(tcp.server.established());
  EXPECT_EQ(tcp.client.mss(), 1398u);
  EXPECT_EQ(tcp.server.mss(), 1398u);
  EXPECT_EQ(tcp.client.smoothed_rtt(), kRoundTrip);
}

TEST(TcpConnection, CountsTheIpv6Header) {
  TcpPair tcp =
      pair_with({.mtu = 1500, .ip_header = kIpv6Header}, {.mtu = 1500, .ip_header = kIpv6Header});
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(20));
  ASSERT_EQ(tcp.log.size(), 3u);
  EXPECT_EQ(tcp.log[0].segment.ip_bytes(), 80u) << "SYN";
  EXPECT_EQ(tcp.log[1].segment.ip_bytes(), 80u) << "SYN-ACK";
  EXPECT_EQ(tcp.log[2].segment.ip_bytes(), 72u) << "ACK";
  EXPECT_EQ(tcp.client.mss(), 1428u);
  EXPECT_EQ(tcp.server.mss(), 1428u);
  tcp.client.packet_too_big(1000);
  EXPECT_EQ(tcp.client.mss(), 1208u) << "every IPv6 link carries 1,280 bytes";
}

TEST(TcpConnection, RepeatsTheSynAfterOneAndThreeAndSevenSeconds) {
  TcpPair tcp = pair_with();
  tcp.lose = [](const TcpPair::Sent& sent, int) { return sent.at < seconds(5); };
  tcp.client.open(Picos{});
  tcp.run_until(seconds(10));
  std::vector<Picos> syns;
  for (const TcpPair::Sent& sent : tcp.log)
    if (sent.from_client && sent.segment.syn) syns.push_back(sent.at);
  EXPECT_THAT(syns, ElementsAre(seconds(0), seconds(1), seconds(3), seconds(7)));
  EXPECT_TRUE(tcp.server.established());
}

TEST(TcpConnection, StartsWithTenSegmentsAndDoublesEveryRoundTrip) {
  TcpPair tcp = pair_with();
  tcp.client.open(Picos{});
  tcp.client.write(kEndless);
  tcp.run_until(kRoundTrip * 4 + kDelay);
  std::map<std::int64_t, int> data_per_round;
  for (const TcpPair::Sent& sent : tcp.log)
    if (sent.from_client && sent.segment.length > 0)
      ++data_per_round[sent.at.count / kRoundTrip.count];
  EXPECT_EQ(data_per_round[1], 10);
  EXPECT_EQ(data_per_round[2], 20);
  EXPECT_EQ(data_per_round[3], 40);
}

struct LossCase {
  const char* what;
  std::set<int> lost;
  int most_round_trips;  ///< From the first transmission until everything has arrived.
};

class Recovers : public testing::TestWithParam<LossCase> {};

TEST_P(Recovers, WithoutATimeout) {
  constexpr int kSegments = 60;
  TcpPair tcp = pair_with();
  tcp.lose = lose_segments(GetParam().lost);
  tcp.client.open(Picos{});
  tcp.client.write(kSegments * kMss);
  tcp.run_until(kRoundTrip * (1 + GetParam().most_round_trips) + milliseconds(1));
  EXPECT_EQ(tcp.server.received(), kSegments * kMss) << GetParam().what;
  EXPECT_EQ(tcp.client.retransmissions(), static_cast<std::int64_t>(GetParam().lost.size()))
      << "nothing is sent twice but what was lost";
}

// Without loss 60 segments take three round trips (10, 20, 30).
INSTANTIATE_TEST_SUITE_P(
    TcpConnection, Recovers,
    testing::Values(LossCase{"no loss", {}, 3}, LossCase{"one segment of the first window", {2}, 8},
                    LossCase{"a whole burst: no stall per segment", {10, 11, 12, 13, 14}, 8},
                    LossCase{"every second of a window", {12, 14, 16, 18, 20, 22}, 9}));

struct ReductionCase {
  CongestionControl algorithm;
  int segments_left;  ///< The window after losses among 20 outstanding segments.
};

class ReducesTheWindow : public testing::TestWithParam<ReductionCase> {};

TEST_P(ReducesTheWindow, OncePerWindowOfLoss) {
  TcpPair tcp = pair_with({.congestion_control = GetParam().algorithm});
  tcp.lose = lose_segments({10, 13, 17});
  tcp.client.open(Picos{});
  tcp.client.write(30 * kMss);
  tcp.run_until(kRoundTrip * 8);
  EXPECT_EQ(tcp.client.acknowledged(), 30 * kMss);
  EXPECT_EQ(tcp.client.congestion_window() / kMss, GetParam().segments_left);
}

INSTANTIATE_TEST_SUITE_P(TcpConnection, ReducesTheWindow,
                         testing::Values(ReductionCase{CongestionControl::Cubic, 14},
                                         ReductionCase{CongestionControl::NewReno, 10}));

TEST(TcpConnection, AcknowledgesEverySecondSegmentAndASingleOneAfter40Milliseconds) {
  TcpPair tcp = pair_with({.interactive = true}, {.interactive = true});
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(100));
  tcp.log.clear();
  tcp.client.write(3 * kMss);
  tcp.run_until(milliseconds(200));
  std::vector<std::pair<Picos, std::int64_t>> acks;
  for (const TcpPair::Sent& sent : tcp.log)
    if (!sent.from_client) acks.emplace_back(sent.at, sent.segment.acknowledges);
  EXPECT_THAT(acks, ElementsAre(std::pair(milliseconds(105), 2 * std::int64_t{kMss}),
                                std::pair(milliseconds(145), 3 * std::int64_t{kMss})));
}

TEST(TcpConnection, NeverHasMoreOutstandingThanTheReceiveWindow) {
  constexpr std::int64_t kWindow = 46 * kMss;
  TcpPair tcp = pair_with({}, {.receive_buffer = kWindow});
  tcp.client.open(Picos{});
  tcp.client.write(kEndless);
  tcp.run_until(seconds(1));
  const Picos start = tcp.now();
  const std::int64_t before = tcp.server.received();
  tcp.run_until(seconds(2));
  EXPECT_EQ(tcp.server.received() - before, 100 * kWindow) << "one window per round trip of 10 ms";
  EXPECT_EQ(tcp.client.stalled(Stall::ReceiveWindow, tcp.now()) -
                tcp.client.stalled(Stall::ReceiveWindow, start),
            seconds(1));
}

TEST(TcpConnection, StopsForASlowReaderAndResumesWhenItReads) {
  constexpr std::int64_t kWindow = 100 * 1024;
  TcpPair tcp = pair_with({}, {.receive_buffer = kWindow});
  tcp.server_reads = false;
  tcp.client.open(Picos{});
  tcp.client.write(kEndless);
  tcp.run_until(milliseconds(150));
  EXPECT_EQ(tcp.server.received(), kWindow);
  tcp.server.read(kWindow);
  tcp.run_until(milliseconds(150) + kRoundTrip);
  EXPECT_GT(tcp.server.received(), kWindow);
}

TEST(TcpConnection, SmallerPathMtuAppliesAtOnceWithoutReducingTheWindow) {
  TcpPair tcp = pair_with();
  constexpr std::uint32_t kPathMtu = 1450;
  tcp.lose = [&](const TcpPair::Sent& sent, int) { return sent.segment.ip_bytes() > kPathMtu; };
  tcp.client.open(Picos{});
  tcp.client.write(30 * kMss);
  tcp.run_until(kRoundTrip);
  const Picos told_at = kRoundTrip + milliseconds(1);
  tcp.run_until(told_at);
  const std::int64_t window = tcp.client.congestion_window();
  tcp.client.packet_too_big(kPathMtu);
  tcp.run_until(told_at + kRoundTrip * 4);
  EXPECT_EQ(tcp.client.mss(), 1398u);
  EXPECT_EQ(tcp.transmissions(0), (std::vector<Picos>{kRoundTrip, told_at}));
  EXPECT_EQ(tcp.server.received(), 30 * kMss);
  EXPECT_GE(tcp.client.congestion_window(), window);
}

// net.ipv4.tcp_slow_start_after_idle
TEST(TcpConnection, SlowStartsAfterIdleUnlessDisabled) {
  for (const bool restarts : {true, false}) {
    TcpPair tcp = pair_with({.slow_start_after_idle = restarts});
    tcp.client.open(Picos{});
    tcp.client.write(70 * kMss);
    tcp.run_until(milliseconds(150));
    const std::int64_t window = tcp.client.congestion_window();
    EXPECT_EQ(window, 80 * kMss) << "10, 20 and 40 segments were its steps";
    tcp.run_for(seconds(3));
    tcp.log.clear();
    tcp.client.write(70 * kMss);
    tcp.run_for(kDelay);
    EXPECT_EQ(std::ranges::count_if(tcp.log, &TcpPair::Sent::from_client), restarts ? 10 : 70);
    EXPECT_EQ(tcp.client.congestion_window(), restarts ? 10 * kMss : window);
  }
}

TEST(TcpConnection, WindowDoesNotGrowWhileTheApplicationDoesNotUseIt) {
  TcpPair tcp = pair_with();
  tcp.client.open(Picos{});
  for (int i = 0; i < 50; ++i) {
    tcp.client.write(4 * kMss);
    tcp.run_for(kRoundTrip * 2);
  }
  EXPECT_EQ(tcp.client.acknowledged(), 200 * kMss);
  EXPECT_EQ(tcp.client.congestion_window(), 10 * kMss) << "four of ten are used";
}

TEST(TcpConnection, IdleConnectionFreesItsMemoryAndResumes) {
  TcpPair tcp = pair_with();
  tcp.client.open(Picos{});
  for (std::int64_t i = 1; i <= 3; ++i) {
    tcp.client.write(30 * kMss);
    tcp.run_for(seconds(1));
    EXPECT_EQ(tcp.server.received(), i * 30 * kMss);
    tcp.client.release();
    tcp.server.release();
  }
}

TEST(TcpConnection, ConnectionsShareOneConfiguration) {
  const auto config = std::make_shared<const TcpConnection::Config>();
  const TcpConnection one(config);
  const TcpConnection other(config);
  EXPECT_EQ(config.use_count(), 3);
}

TEST(TcpConnection, MeasuresTheRoundTripFromSegmentToAcknowledgement) {
  TcpPair tcp = pair_with();
  tcp.client.open(Picos{});
  tcp.client.write(20 * kMss);
  tcp.run_until(milliseconds(200));
  ASSERT_FALSE(tcp.round_trips.empty());
  for (const Picos sample : tcp.round_trips)
    EXPECT_EQ(sample, kRoundTrip);
}

}  // namespace tcp_connection_test

}  // namespace overlane::transport
