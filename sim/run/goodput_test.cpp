#include <array>
#include <string>

#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace goodput_test {

using namespace testing;

struct GoodputCase {
  Encapsulation encapsulation;
  std::uint32_t link_mtu;
};

class Goodput : public ::testing::TestWithParam<GoodputCase> {};

/// MSS/(MTU + 38) of the link rate: what headers leave of a full link.
TEST_P(Goodput, OfOneBulkFlowIsWhatTheHeadersLeave) {
  const auto [encapsulation, mtu] = GetParam();
  const Measurement result =
      measure(network({.encapsulation = encapsulation, .link_mtu = mtu}), {bulk()},
              {.duration = milliseconds(60), .warm_up = milliseconds(20)});
  const std::int64_t mss = mtu - overhead(encapsulation) - 52;
  const std::int64_t expected = 10'000'000'000 * mss / (mtu + 38);
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, expected, expected / 500);
  EXPECT_EQ(result.traffic[0].packets.dropped, 0);
  ASSERT_EQ(result.limits.size(), 1u);
  EXPECT_EQ(result.limits[0].station, "link node-1 eth0");
}

INSTANTIATE_TEST_SUITE_P(Run, Goodput,
                         ::testing::Values(GoodputCase{Encapsulation::None, 1500},
                                           GoodputCase{Encapsulation::Ipip, 1500},
                                           GoodputCase{Encapsulation::Vxlan, 1500},
                                           GoodputCase{Encapsulation::None, 9001},
                                           GoodputCase{Encapsulation::Ipip, 9001},
                                           GoodputCase{Encapsulation::Vxlan, 9001}));

TEST(Run, TwoFlowsShareALinkFairly) {
  TrafficGroup first = bulk({pair(0, 1, 0)});
  TrafficGroup second = bulk({pair(0, 1, 1)});
  const Measurement result = measure(network(), {first, second},
                                     {.duration = milliseconds(60), .warm_up = milliseconds(20)});
  const std::int64_t a = result.traffic[0].goodput_bps;
  const std::int64_t b = result.traffic[1].goodput_bps;
  EXPECT_PRED3(near, a + b, 9'415'000'000, 10'000'000);
  EXPECT_PRED3(near, a, b, a / 10);
}

TEST(Run, SendersToOneNodeQueueAtItsPortAndAllGetThrough) {
  const Measurement result =
      measure(network({.nodes = 4}), {bulk({pair(0, 3)}), bulk({pair(1, 3)}), bulk({pair(2, 3)})},
              {.duration = milliseconds(300), .warm_up = milliseconds(100)});
  std::int64_t sum = 0;
  for (const model::TrafficResult& traffic : result.traffic) {
    EXPECT_EQ(traffic.drops.total(), traffic.drops[Drop::FabricQueueFull]);
    EXPECT_GT(traffic.goodput_bps, 500'000'000);
    sum += traffic.goodput_bps;
  }
  EXPECT_PRED3(near, sum, 9'415'000'000, 50'000'000);
  EXPECT_EQ(result.limits[0].station, "link fabric to node-4");
}

TEST(Run, ATransferEndsWhenItIsComplete) {
  TrafficGroup transfer = bulk();
  transfer.transfer = Distribution::fixed(1'000'000);
  const Measurement result = measure(network(), {transfer}, {.duration = milliseconds(100)});
  EXPECT_EQ(result.traffic[0].goodput_bps, 80'000'000) << "a megabyte in a tenth of a second";
  EXPECT_EQ(result.traffic[0].packets.in_flight, 0);
  EXPECT_EQ(result.limits[0].constant, "transfer of 1000000 bytes");
}

TEST(Run, PodsOfOneNodeDoNotUseItsLink) {
  const PodPair local{{0, pod(0, 0)}, {0, pod(0, 1)}};
  Network slow = network();
  slow.machines[0].nic_rate = {1'000'000};
  const Measurement result = measure(slow, {bulk({local})}, {.duration = milliseconds(10)});
  EXPECT_GT(result.traffic[0].goodput_bps, 10'000'000'000);
}

/// Reading costs CPU time and buffers fill: at the end of the warm-up something is unread, which is
/// read after it.
TEST(Run, GoodputNeverExceedsThroughput) {
  RandomStream random(1, StreamUse::Pattern, 0);
  constexpr std::array kEach = {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan};
  for (int i = 0; i < 40; ++i) {
    Network network = testing::network({.encapsulation = kEach[random.below(3)]});
    network.costs = only(cost::Stage::SocketReceive,
                         {.per_skb = nanoseconds(static_cast<std::int64_t>(random.below(4'000))),
                          .per_byte = {static_cast<std::int64_t>(random.below(1'500))}});
    TrafficGroup group = bulk();
    if (random.below(4) == 0) group = datagrams(8'000'000'000, 1'000);
    group.flows_per_pair = 1 + static_cast<std::uint32_t>(random.below(3));
    if (group.kind == model::TrafficKind::Tcp && random.below(2) == 0) {
      group.transfer = Distribution::fixed(2'000'000);
      group.gap = Distribution::fixed(milliseconds(2).count);
    }
    const Picos warm_up = microseconds(static_cast<std::int64_t>(random.below(9'000)));
    const model::TrafficResult result =
        measure(network, {group},
                {.duration = milliseconds(10), .warm_up = warm_up, .seed = random.next()})
            .traffic[0];
    EXPECT_LE(result.goodput_bps, result.throughput_bps) << "case " << i;
    EXPECT_GE(result.goodput_bps, 0);
  }
}

}  // namespace goodput_test
}  // namespace overlane::run
