#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/transport/congestion_window.h"
#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {
namespace loss_recovery_test {

using testing::ElementsAre;

constexpr Picos kDelay = milliseconds(5);
constexpr Picos kRoundTrip = kDelay * 2;
constexpr std::int64_t kMss = 1448;

bool is_data(const TcpPair::Sent& sent) {
  return sent.from_client && sent.segment.length > 0;
}

/// A connection at 100 ms, established, with a client of configuration `config`.
TcpPair established(const TcpConnection::Config& config = {}) {
  TcpPair tcp(config, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(100));
  return tcp;
}

/// Times, in milliseconds after 100 ms, at which the client sent this data segment.
std::vector<std::int64_t> sent_after(const TcpPair& tcp, std::int64_t number) {
  std::vector<std::int64_t> times;
  for (const Picos at : tcp.transmissions(number * kMss))
    times.push_back((at - milliseconds(100)).count / milliseconds(1).count);
  return times;
}

// RFC 8985 section 6: three segments; the first arrives after the others. The timer adds 2 ms.
TEST(Rack, WaitsAQuarterOfTheRoundTripAndTwoMillisecondsForAnOvertakenSegment) {
  for (const auto& [lateness, retransmissions] :
       {std::pair(milliseconds(4), 0), std::pair(milliseconds(5), 1)}) {
    TcpPair tcp = established();
    tcp.late = [lateness = lateness](const TcpPair::Sent& sent, int) {
      return is_data(sent) && sent.segment.sequence == 0 ? lateness : Picos{};
    };
    tcp.client.write(3 * kMss);
    tcp.run_for(kRoundTrip * 5);
    EXPECT_EQ(tcp.client.acknowledged(), 3 * kMss);
    EXPECT_EQ(tcp.client.retransmissions(), retransmissions) << lateness.count;
  }
}

TEST(Rack, AfterReorderingThreeSackedSegmentsDoNotMeanLoss) {
  TcpPair tcp = established();
  tcp.late = [](const TcpPair::Sent& sent, int) {
    const bool first_of_burst = sent.segment.sequence % (10 * kMss) == 0;
    return is_data(sent) && first_of_burst ? milliseconds(2) : Picos{};
  };
  tcp.client.write(3 * kMss);
  tcp.run_for(kRoundTrip * 5);
  tcp.client.write(7 * kMss);
  tcp.run_for(kRoundTrip * 5);
  tcp.client.write(10 * kMss);
  tcp.run_for(kRoundTrip * 5);
  EXPECT_EQ(tcp.client.acknowledged(), 20 * kMss);
  EXPECT_EQ(tcp.client.retransmissions(), 0);
}

// RFC 8985 section 7.
TEST(TailLossProbe, RepairsALostTailInTwoRoundTripsWithoutATimeout) {
  TcpPair tcp = established({.slow_start_after_idle = false});
  tcp.lose = [lost = std::make_shared<bool>(false)](const TcpPair::Sent& sent, int) {
    return is_data(sent) && sent.segment.sequence == 9 * kMss && !std::exchange(*lost, true);
  };
  tcp.client.write(10 * kMss);
  tcp.run_for(seconds(1));
  // The last acknowledgement, of segment 8, arrives after 10 ms. For a single segment the probe
  // waits for 2·SRTT and the longest delay of an acknowledgement, but no longer than the
  // retransmission timeout, SRTT + 200 ms.
  EXPECT_THAT(sent_after(tcp, 9), ElementsAre(0, 10 + 10 + 200));
  EXPECT_EQ(tcp.server.received(), 10 * kMss);
  const std::int64_t window = tcp.client.congestion_window();
  EXPECT_GE(window, 10 * kMss) << "no timeout";
  tcp.client.write(kMss);
  tcp.run_for(seconds(1));
  EXPECT_EQ(tcp.client.congestion_window(), window * 7 / 10) << "section 7.4: it hid a loss";
}

TEST(TailLossProbe, TriggersTheAcknowledgementThatShowsALargerLostTail) {
  TcpPair tcp = established();
  tcp.lose = [](const TcpPair::Sent& sent, int) {
    return is_data(sent) && sent.segment.sequence >= 6 * kMss && sent.at == milliseconds(100);
  };
  tcp.client.write(10 * kMss);
  tcp.run_for(milliseconds(190));
  EXPECT_THAT(sent_after(tcp, 9), ElementsAre(0, 32))
      << "2·SRTT + 2 ms after the last acknowledgement";
  EXPECT_THAT(sent_after(tcp, 6), ElementsAre(0, 42)) << "fast recovery, by one SACK block";
  EXPECT_EQ(tcp.server.received(), 10 * kMss);
}

TEST(TailLossProbe, SendsNewDataIfAvailable) {
  TcpPair tcp = established();
  tcp.lose = [](const TcpPair::Sent& sent, int) {
    return is_data(sent) && sent.at == milliseconds(100);
  };
  tcp.client.write(11 * kMss);
  tcp.run_for(milliseconds(150));
  EXPECT_THAT(sent_after(tcp, 10), ElementsAre(22)) << "beyond the congestion window of ten";
  EXPECT_EQ(tcp.server.received(), 11 * kMss);
}

TEST(TailLossProbe, LateSegmentDoesNotReduceTheWindow) {
  TcpPair tcp = established();
  tcp.late = [](const TcpPair::Sent& sent, int) {
    return is_data(sent) && sent.at == milliseconds(100) ? milliseconds(250) : Picos{};
  };
  tcp.client.write(kMss);
  tcp.run_for(seconds(1));
  EXPECT_THAT(sent_after(tcp, 0), ElementsAre(0, 210));
  tcp.client.write(kMss);
  tcp.run_for(seconds(1));
  EXPECT_GE(tcp.client.congestion_window(), 10 * kMss);
}

/// Times of the first transmission and the retransmissions while nothing arrives for `outage`.
std::vector<std::int64_t> attempts(bool probe, int segments, Picos outage) {
  TcpPair tcp = established({.tail_loss_probe = probe});
  tcp.lose = [end = tcp.now() + outage](const TcpPair::Sent& sent, int) { return sent.at < end; };
  tcp.client.write(segments * kMss);
  tcp.run_for(outage * 2 + seconds(1));
  EXPECT_EQ(tcp.server.received(), segments * kMss);
  return sent_after(tcp, 0);
}

// The path has no jitter: the timeout is SRTT + 200 ms.
TEST(RetransmissionTimer, Doubles) {
  EXPECT_THAT(attempts(false, 1, seconds(20)),
              ElementsAre(0, 210, 630, 1'470, 3'150, 6'510, 13'230, 26'670));
  EXPECT_THAT(attempts(true, 5, seconds(2)), ElementsAre(0, 232, 652, 1'492, 3'172))
      << "restarted by the loss probe of the last segment, at 22 ms";
  // tcp_send_loss_probe: the probe of a single segment coincides with the timer and replaces it.
  EXPECT_THAT(attempts(true, 1, seconds(2)), ElementsAre(0, 210, 420, 840, 1'680, 3'360));
}

TEST(RetransmissionTimer, ReducesTheWindowToOneSegment) {
  TcpPair tcp = established({.tail_loss_probe = false});
  tcp.lose = [](const TcpPair::Sent& sent, int) { return is_data(sent); };
  tcp.client.write(10 * kMss);
  tcp.run_for(milliseconds(250));
  EXPECT_EQ(tcp.client.congestion_window(), kMss);
  EXPECT_EQ(tcp.client.retransmissions(), 1);
}

// RFC 6937: a window of 100 segments with one lost, β = 0.5, one acknowledgement per segment.
TEST(RateReduction, SpreadsTheReductionOverARoundTrip) {
  RateReduction reduction;
  reduction.begin(100);
  std::int64_t pipe = 99;
  int sent = 0;
  for (int i = 0; i < 98; ++i) {
    --pipe;
    const std::int64_t window = reduction.window(pipe, 1, 50, 1, false);
    EXPECT_LE(window - pipe, 1) << "no burst";
    for (; pipe < window; ++pipe, ++sent)
      reduction.sent(1);
  }
  EXPECT_NEAR(sent, 49, 1) << "one for two that are delivered";
  EXPECT_NEAR(static_cast<double>(pipe), 50, 1);
}

TEST(RateReduction, CompensatesForHeavyLossInSlowStart) {
  RateReduction reduction;
  reduction.begin(100);
  EXPECT_EQ(reduction.window(20, 3, 50, 1, false), 23) << "as many as were delivered";
  reduction.sent(3);
  EXPECT_EQ(reduction.window(22, 1, 50, 1, true), 24) << "and one more with progress";
  EXPECT_EQ(reduction.window(49, 30, 50, 1, true), 50) << "not beyond the threshold";
}

TEST(TcpConnection, RecoversInOneRoundTripAndEndsAtTheThreshold) {
  TcpPair tcp = established();
  tcp.lose = [](const TcpPair::Sent& sent, int) {
    return is_data(sent) && sent.segment.sequence == 20 * kMss && sent.at < milliseconds(115);
  };
  tcp.client.write(kEndless);
  tcp.run_until(milliseconds(130));
  EXPECT_THAT(sent_after(tcp, 20), ElementsAre(10, 20)) << "as soon as three are sacked";
  EXPECT_EQ(tcp.client.congestion_window() / kMss, 21) << "0.7 of the 30 that were outstanding";
}

}  // namespace loss_recovery_test
}  // namespace overlane::transport
