#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace fabric_limits_test {

using namespace testing;

const RunOptions kOptions{
    .duration = milliseconds(60), .warm_up = milliseconds(30), .start_spread = {}};
constexpr std::int64_t kGbit = 1'000'000'000;

Network capped(Encapsulation encapsulation) {
  Network network = testing::network({.encapsulation = encapsulation});
  network.paths.jitter = {};
  network.limits.single_flow = BitsPerSecond{5 * kGbit};
  return network;
}

std::int64_t throughput(const Measurement& result) {
  std::int64_t sum = 0;
  for (const model::TrafficResult& traffic : result.traffic)
    sum += traffic.throughput_bps;
  return sum;
}

TEST(SingleFlowCap, HoldsOneFlowInEveryMode) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const Measurement result = measure(capped(encapsulation), {bulk()}, kOptions);
    // The cap counts outer packets: a VXLAN packet is 50 bytes longer than its pod's.
    EXPECT_PRED3(near, throughput(result), 5 * kGbit, kGbit / 5) << to_string(encapsulation);
    EXPECT_TRUE(result.limits[0].station.starts_with("fabric flow from node-1"))
        << result.limits[0].station;
  }
}

TEST(SingleFlowCap, SaysWhatSharesIt) {
  const auto constant = [](Encapsulation encapsulation) {
    return measure(capped(encapsulation), {bulk()}, kOptions).limits[0].constant;
  };
  const std::string cap = "single-flow cap 5 Gbit/s";
  EXPECT_EQ(constant(Encapsulation::Vxlan), cap);
  EXPECT_EQ(constant(Encapsulation::Ipip),
            cap + ", for all packets without ports between two nodes");
  EXPECT_EQ(constant(Encapsulation::Wireguard),
            cap + ", for all that WireGuard carries between two nodes");
}

TEST(SingleFlowCap, IsSharedByAllThatIpipCarriesBetweenTwoNodes) {
  const auto together = [](Encapsulation encapsulation) {
    TrafficGroup group = bulk();
    group.flows_per_pair = 8;
    return throughput(measure(capped(encapsulation), {group}, kOptions));
  };
  EXPECT_PRED3(near, together(Encapsulation::Ipip), 5 * kGbit, kGbit / 5);
  EXPECT_GT(together(Encapsulation::None), 9 * kGbit) << "the NIC's rate";
  EXPECT_GT(together(Encapsulation::Vxlan), 9 * kGbit);
}

TEST(SingleFlowCap, LetsFlowsToDifferentNodesPassSideBySide) {
  Network network = testing::network({.encapsulation = Encapsulation::Ipip, .nodes = 3});
  network.limits.single_flow = BitsPerSecond{4 * kGbit};
  const Measurement result = measure(network, {bulk({pair(0, 1), pair(0, 2)})}, kOptions);
  EXPECT_PRED3(near, throughput(result), 8 * kGbit, kGbit / 2);
}

TEST(SingleFlowCap, DropsWhatDoesNotFitItsQueue) {
  const Measurement result =
      measure(capped(Encapsulation::None), {datagrams(8 * kGbit, 1400)}, kOptions);
  EXPECT_PRED3(near, throughput(result), 5 * kGbit, kGbit / 50);
  EXPECT_GT(result.traffic[0].drops[Drop::FabricQueueFull], 0);
}

TEST(BandwidthAllowance, LetsAnInstanceGoAtItsNicsRateWhileItHasCredits) {
  const auto rate_after = [](Bytes credits) {
    Network network = testing::network();
    network.limits.bandwidth = fabric::BandwidthAllowance{{2 * kGbit}, credits};
    return measure(network, {bulk()}, kOptions);
  };
  const Measurement poor = rate_after(Bytes{1 << 20});
  EXPECT_PRED3(near, throughput(poor), 2 * kGbit, kGbit / 10);
  EXPECT_EQ(poor.limits[0].station, "fabric allowance from node-1");
  EXPECT_EQ(poor.limits[0].constant, "baseline 2 Gbit/s");
  // 75 MB pass in 60 ms at 10 Gbit/s; 15 MB of them come back meanwhile.
  const Measurement rich = rate_after(Bytes{75'000'000});
  EXPECT_GT(throughput(rich), 9 * kGbit);
  EXPECT_EQ(rich.limits[0].station, "link node-1 eth0")
      << "five times the baseline passes, and nothing waits for the allowance";
}

TEST(BandwidthAllowance, HoldsForWhatAnInstanceReceives) {
  Network network = testing::network({.nodes = 3});
  network.limits.bandwidth = fabric::BandwidthAllowance{{2 * kGbit}, Bytes{100'000}};
  const Measurement result = measure(network, {bulk({pair(0, 2), pair(1, 2)})}, kOptions);
  EXPECT_PRED3(near, throughput(result), 2 * kGbit, kGbit / 10);
  EXPECT_EQ(result.limits[0].station, "fabric allowance to node-3");
}

TEST(PacketAllowance, CountsPacketsWhateverTheirSize) {
  Network network = testing::network();
  network.limits.packets = fabric::PacketAllowance{.per_second = 100'000, .burst = 64};
  const auto goodput = [&](std::uint32_t payload) {
    const std::int64_t rate = std::int64_t{payload} * 8 * 400'000;
    const Measurement result = measure(network, {datagrams(rate, payload)}, kOptions);
    EXPECT_EQ(result.limits[0].constant, "100000 packets per second");
    return result.traffic[0].goodput_bps;
  };
  EXPECT_PRED3(near, goodput(100), 100 * 8 * 100'000, 100 * 8 * 2'000);
  EXPECT_PRED3(near, goodput(1400), 1400 * 8 * 100'000, 1400 * 8 * 2'000);
}

}  // namespace fabric_limits_test
}  // namespace overlane::run
