#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace wireguard_test {

using namespace testing;
using cost::Stage;

const RunOptions kOptions{
    .duration = milliseconds(200), .warm_up = milliseconds(100), .start_spread = {}};

const ClusterShape kSealed{.encapsulation = Encapsulation::Wireguard};

/// Machines with 100 Gbit/s where everything is free but one stage.
Network paying(Stage stage, const cost::StageCost& cost, std::uint32_t cores = 4) {
  Network network = testing::network(kSealed);
  network.paths.jitter = {};
  for (host::Machine& machine : network.machines) {
    machine.nic_rate = {100'000'000'000};
    machine.cores = cores;
  }
  network.costs = only(stage, cost);
  return network;
}

std::int64_t goodput(const Network& network, std::uint32_t flows = 1) {
  TrafficGroup group = bulk();
  group.window_bytes = 1 << 19;
  group.flows_per_pair = flows;
  return measure(network, {group}, kOptions).traffic[0].goodput_bps;
}

/// Payload of a packet of 1,440 bytes with TCP timestamps.
constexpr std::int64_t kSegmentBits = 1388 * 8;

TEST(Wireguard, HeadersAndPaddingTakeTheirShareOfTheLink) {
  Network network = testing::network(kSealed);
  TrafficGroup group = bulk();
  const Measurement full = measure(network, {group}, kOptions);
  // 1,388 bytes of 1,500 and 38 of Ethernet.
  const std::int64_t expected = 10'000'000'000 / 1538 * 1388;
  EXPECT_PRED3(near, full.traffic[0].goodput_bps, expected, expected / 100);
}

/// Datagrams of every length: what decisions keep is what each packet would get, padding with it.
TEST(Wireguard, KeptDecisionsPadEachPacketByItsOwnLength) {
  const Network network = testing::network(kSealed);
  std::vector<TrafficGroup> groups;
  for (const std::uint32_t payload : {1u, 52u, 53u, 67u, 68u, 69u, 1000u, 1411u, 1412u})
    groups.push_back(datagrams(1'000'000, payload));
  TrafficGroup transfers = bulk();
  transfers.transfer = Distribution::exponential(5'000);
  transfers.gap = Distribution::exponential(milliseconds(1).count);
  groups.push_back(transfers);
  RunOptions kept = kOptions;
  RunOptions decided = kOptions;
  decided.keep_decisions = false;
  const Measurement a = measure(network, groups, kept);
  const Measurement b = measure(network, groups, decided);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(a.traffic[i].packets.delivered, b.traffic[i].packets.delivered);
    EXPECT_EQ(a.traffic[i].latency_ns, b.traffic[i].latency_ns) << groups[i].payload_bytes;
  }
}

/// Whoever sends has the buffers encrypted beside each other that small queues let out at once; who
/// receives, packets.
TEST(Wireguard, TheCipherIsSpreadOverTheCores) {
  const auto with_cores = [](std::uint32_t cores, std::uint32_t flows) {
    return goodput(paying(Stage::WireguardCrypt, {.per_packet = microseconds(4)}, cores), flows);
  };
  const std::int64_t one = with_cores(1, 1);
  EXPECT_PRED3(near, one, kSegmentBits * 250'000, one / 10);
  EXPECT_GT(with_cores(4, 1), one * 3 / 2);
  EXPECT_GT(with_cores(4, 8), one * 3);
}

TEST(Wireguard, OneCoreHandsOnAllThatGoesToAPeer) {
  const Network sending = paying(Stage::WireguardSend, {.per_packet = microseconds(4)}, 8);
  const Network receiving = paying(Stage::WireguardReceive, {.per_packet = microseconds(4)}, 8);
  for (const Network* network : {&sending, &receiving}) {
    const std::int64_t one = goodput(*network);
    EXPECT_PRED3(near, one, kSegmentBits * 250'000, one / 10);
    EXPECT_PRED3(near, goodput(*network, 8), one, one / 10) << "more flows of the same two nodes";
  }
}

/// Where TCP's buffers stay whole through VXLAN, WireGuard has single packets at the driver.
TEST(Wireguard, EveryPacketPaysTheDriverByItself) {
  const std::int64_t whole = [] {
    Network network = paying(Stage::DriverSend, {.per_skb = microseconds(4)});
    const Network vxlan = testing::network({.encapsulation = Encapsulation::Vxlan});
    network.nodes = vxlan.nodes;
    network.fabric = vxlan.fabric;
    return goodput(network);
  }();
  const std::int64_t single = goodput(paying(Stage::DriverSend, {.per_skb = microseconds(4)}));
  EXPECT_PRED3(near, single, kSegmentBits * 250'000, single / 10);
  EXPECT_GT(whole, single * 4);
}

TEST(Wireguard, AQueueThatIsFullDropsWhatIsBeyond) {
  const Network network = paying(Stage::WireguardReceive, {.per_packet = microseconds(50)});
  const Measurement result = measure(network, {datagrams(1'000'000'000, 1000)}, kOptions);
  EXPECT_GT(result.traffic[0].packets.dropped, 1'000);
}

}  // namespace wireguard_test
}  // namespace overlane::run
