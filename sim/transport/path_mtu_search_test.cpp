#include "sim/transport/path_mtu_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {
namespace path_mtu_search_test {

using testing::ElementsAre;

constexpr Picos kDelay = milliseconds(5);
constexpr std::uint32_t kOverhead = 52;  ///< IPv4 and TCP headers with timestamps.

/// Sizes of the packets with which `search` probes a path of `mtu`.
std::vector<std::uint32_t> probes(PathMtuSearch& search, std::uint32_t mtu, Picos now) {
  std::vector<std::uint32_t> sizes;
  while (const std::uint32_t packet = search.next_probe({}, kOverhead, now)) {
    sizes.push_back(packet);
    search.probe_sent(packet, 0);
    if (packet <= mtu) {
      search.probe_arrived();
    } else {
      search.probe_failed();
    }
  }
  return sizes;
}

TEST(PathMtuSearch, HalvesTheRangeUntilItIsBelowTheThreshold) {
  PathMtuSearch search;
  search.begin({.mtu_probing = 2}, 1500, kOverhead, Picos{});
  EXPECT_EQ(search.limit(), 1024 + kOverhead);
  EXPECT_THAT(probes(search, 1400, Picos{}), ElementsAre(1288, 1394, 1447, 1420, 1406, 1399));
  EXPECT_EQ(search.limit(), 1399u) << "less than eight bytes below what passes";
}

TEST(PathMtuSearch, SearchesTheWholeRangeAgainAfterTenMinutes) {
  PathMtuSearch search;
  search.begin({.mtu_probing = 2}, 1500, kOverhead, Picos{});
  probes(search, 1400, Picos{});
  EXPECT_THAT(probes(search, 1500, seconds(600) - picoseconds(1)), ElementsAre());
  EXPECT_THAT(probes(search, 1500, seconds(600)), ElementsAre(1449, 1474, 1487, 1493));
}

TEST(PathMtuSearch, EachFurtherBlackHoleHalvesTheLowerEndDownToTheFloor) {
  PathMtuSearch search;
  search.begin({}, 1500, kOverhead, Picos{});
  EXPECT_GT(search.limit(), 1500u) << "off";
  std::vector<std::uint32_t> payloads;
  for (int i = 0; i < 7; ++i) {
    search.black_hole({.mtu_probing = 1}, kOverhead, Picos{});
    payloads.push_back(search.limit() - kOverhead);
  }
  EXPECT_THAT(payloads, ElementsAre(1024, 512, 256, 128, 64, 48, 48));
}

struct BlackHole {
  std::uint8_t probing;
  std::optional<Picos> waits;  ///< Until the first packet that passes; empty: none does.
};

class OnAPathThatSwallows : public testing::TestWithParam<BlackHole> {};

/// The routers on the path drop packets above 1,400 bytes and send no ICMP.
TEST_P(OnAPathThatSwallows, LargePackets) {
  constexpr std::uint32_t kPathMtu = 1400;
  TcpPair tcp({.mtu_probing = GetParam().probing}, {}, kDelay);
  tcp.lose = [](const TcpPair::Sent& sent, int) { return sent.segment.ip_bytes() > kPathMtu; };
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(100));
  const Picos start = tcp.now();
  tcp.client.write(9'000'000);
  while (tcp.server.received() == 0 && tcp.now() < seconds(100))
    tcp.run_for(milliseconds(1));
  if (!GetParam().waits) {
    EXPECT_EQ(tcp.server.received(), 0);
    return;
  }
  EXPECT_EQ(tcp.now() - start, *GetParam().waits + kDelay);
  tcp.run_for(seconds(2));
  EXPECT_EQ(tcp.client.mss(), 1399 - kOverhead) << "and finds how much fits";
}

// Mode 1: the timeouts follow 22 (loss probe) + 210 · (2ⁿ − 1) ms after the first transmission; the
// fourth is the first after 3 s.
INSTANTIATE_TEST_SUITE_P(PathMtuSearch, OnAPathThatSwallows,
                         testing::Values(BlackHole{0, {}}, BlackHole{1, milliseconds(3'172)},
                                         BlackHole{2, Picos{}}));

TEST(PathMtuSearch, FailedProbeDoesNotReduceTheWindow) {
  TcpPair tcp({.mtu_probing = 2}, {}, kDelay);
  tcp.lose = [](const TcpPair::Sent& sent, int) { return sent.segment.ip_bytes() > 1200; };
  tcp.client.open(Picos{});
  tcp.run_until(milliseconds(100));
  tcp.client.write(2'000'000);
  std::int64_t window = 0;
  while (tcp.server.received() < 2'000'000) {
    tcp.run_for(milliseconds(1));
    EXPECT_GE(tcp.client.congestion_window(), window);
    window = tcp.client.congestion_window();
    ASSERT_LT(tcp.now(), seconds(2));
  }
  EXPECT_GT(tcp.client.retransmissions(), 0);
}

}  // namespace path_mtu_search_test
}  // namespace overlane::transport
