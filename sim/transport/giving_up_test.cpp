#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {
namespace giving_up_test {

using testing::ElementsAre;

constexpr Picos kDelay = milliseconds(5);
constexpr std::int64_t kMss = 1448;

TcpPair::Loss everything() {
  return [](const TcpPair::Sent&, int) { return true; };
}

/// Times, in whole seconds, at which this end sent a SYN.
std::vector<std::int64_t> syns(const TcpPair& tcp, bool from_client) {
  std::vector<std::int64_t> times;
  for (const TcpPair::Sent& sent : tcp.log)
    if (sent.from_client == from_client && sent.segment.syn)
      times.push_back(sent.at.count / seconds(1).count);
  return times;
}

TEST(GivingUp, ClientFailsAfterSixRetransmissionsOfTheSyn) {
  TcpPair tcp({}, {}, kDelay);
  tcp.lose = everything();
  tcp.client.open(Picos{});
  tcp.run_until(seconds(127) - picoseconds(1));
  EXPECT_FALSE(tcp.client.failed());
  tcp.run_until(seconds(1'000));
  EXPECT_TRUE(tcp.client.failed());
  EXPECT_EQ(tcp.client.deadline(), kNever);
  EXPECT_THAT(syns(tcp, true), ElementsAre(0, 1, 3, 7, 15, 31, 63));
}

TEST(GivingUp, ServerListensAgainAfterFiveRetransmissionsOfTheSynAck) {
  TcpPair tcp({.syn_retries = 0}, {}, kDelay);
  tcp.lose = [](const TcpPair::Sent& sent, int) { return !sent.from_client; };
  tcp.client.open(Picos{});
  tcp.run_until(seconds(100));
  EXPECT_TRUE(tcp.client.failed());
  EXPECT_THAT(syns(tcp, false), ElementsAre(0, 1, 3, 7, 15, 31));
  EXPECT_FALSE(tcp.server.failed());
  EXPECT_EQ(tcp.server.deadline(), kNever);

  tcp.lose = [](const TcpPair::Sent&, int) { return false; };
  tcp.client = TcpConnection(TcpConnection::Config{});
  tcp.client.open(tcp.now());
  tcp.run_for(seconds(1));
  EXPECT_TRUE(tcp.server.established());
}

TEST(GivingUp, HandshakeWithTwoRetransmissionsStartsWithOneSegment) {
  TcpPair tcp({}, {}, kDelay);
  tcp.lose = [](const TcpPair::Sent& sent, int) { return sent.at < seconds(2); };
  tcp.client.open(Picos{});
  tcp.run_until(seconds(4));
  EXPECT_EQ(tcp.client.congestion_window(), kMss);
}

// tcp_retries2: "a hypothetical timeout of 924.6 seconds", ip-sysctl.rst.
TEST(GivingUp, SenderFailsAfterTheTimeOfFifteenTimeouts) {
  EXPECT_EQ(backed_off_time(3), seconds(3));
  EXPECT_EQ(backed_off_time(15), milliseconds(924'600));
  TcpPair tcp({.tail_loss_probe = false}, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.run_until(seconds(1));
  tcp.lose = everything();
  tcp.client.write(kMss);
  tcp.run_until(seconds(1) + milliseconds(924'600) - picoseconds(1));
  EXPECT_FALSE(tcp.client.failed());
  tcp.run_for(seconds(300));
  EXPECT_TRUE(tcp.client.failed());
  EXPECT_EQ(tcp.client.retransmissions(), 15);
  EXPECT_EQ(tcp.client.deadline(), kNever);
}

TEST(GivingUp, ClosedWindowIsProbedWhileProbesAreAnswered) {
  constexpr std::int64_t kBuffer = 20 * kMss;
  TcpPair tcp({}, {.receive_buffer = kBuffer}, kDelay);
  tcp.server_reads = false;
  tcp.client.open(Picos{});
  tcp.client.write(2 * kBuffer);
  tcp.run_until(seconds(4'000));
  EXPECT_EQ(tcp.server.received(), kBuffer) << "probes carry no data";
  EXPECT_FALSE(tcp.client.failed());
  // The window update is lost; the next probe, at most two minutes later, shows the open window.
  tcp.lose = [end = tcp.now() + seconds(1)](const TcpPair::Sent& sent, int) {
    return sent.at < end;
  };
  tcp.server.read(kBuffer);
  tcp.run_for(seconds(121));
  EXPECT_EQ(tcp.server.received(), 2 * kBuffer);
  EXPECT_EQ(tcp.client.retransmissions(), 0);

  tcp.client.write(1);
  tcp.lose = everything();
  tcp.run_for(seconds(2'000));
  EXPECT_TRUE(tcp.client.failed());
}

TEST(GivingUp, ResetEndsAConnectionAtOnce) {
  TcpPair tcp({}, {}, kDelay);
  tcp.client.open(Picos{});
  tcp.client.write(10 * kMss);
  tcp.run_until(seconds(1));
  ASSERT_TRUE(tcp.client.established());
  const Segment reset{.rst = true};
  EXPECT_EQ(reset.ip_bytes(), 40u);
  tcp.client.receive(reset, tcp.now());
  EXPECT_TRUE(tcp.client.failed());
  EXPECT_EQ(tcp.client.deadline(), kNever);
  EXPECT_FALSE(tcp.client.next(tcp.now()).has_value());
}

TEST(GivingUp, ResetReturnsAServerToListening) {
  TcpConnection server(TcpConnection::Config{});
  server.receive({.mss = 1460, .syn = true}, Picos{});
  EXPECT_NE(server.deadline(), kNever);
  server.receive({.rst = true}, Picos{});
  EXPECT_FALSE(server.failed());
  EXPECT_EQ(server.deadline(), kNever);
}

}  // namespace giving_up_test
}  // namespace overlane::transport
