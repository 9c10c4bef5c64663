#include "sim/run/limits/limits.h"

#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {

namespace limits_test {

using namespace testing;

const RunOptions kOptions{.duration = milliseconds(40), .warm_up = milliseconds(15)};

std::int64_t goodput(const Measurement& measurement) {
  return measurement.traffic[0].goodput_bps;
}
const std::string& station(const Measurement& measurement) {
  return measurement.limits.at(0).station;
}

/// 100 Gbit/s NICs and a profile that takes two microseconds per received packet.
Network with_costs() {
  Network network = testing::network();
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {100'000'000'000};
  network.costs = only(cost::Stage::NapiReceive, {.per_packet = microseconds(2)});
  return network;
}

TEST(Limits, AFasterNicHelpsAFlowThatItsLinkLimits) {
  Network network = testing::network();
  const Measurement before = measure(network, {bulk()}, kOptions);
  EXPECT_EQ(station(before), "link node-1 eth0");
  EXPECT_EQ(before.limits[0].constant, "nic rate 10 Gbit/s");

  TrafficGroup wider = bulk();
  wider.window_bytes *= 2;
  EXPECT_EQ(goodput(measure(network, {wider}, kOptions)), goodput(before)) << "not the window";
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {20'000'000'000};
  EXPECT_GT(goodput(measure(network, {bulk()}, kOptions)), 8'000'000'000 - 1);
}

TEST(Limits, ASenderThatWaitsForItsLinkIsNotLimitedByItsRate) {
  // It starts so late that the link was idle for most of the time.
  const RunOptions late{.duration = milliseconds(10), .seed = 3, .start_spread = milliseconds(9)};
  const Measurement result = measure(testing::network(), {datagrams(1'000'000'000'000, 1)}, late);
  EXPECT_EQ(station(result), "link node-1 eth0");
}

TEST(Limits, AWiderWindowHelpsAFlowThatItsWindowLimits) {
  Network network = testing::network();
  network.paths.within_zone = microseconds(500);
  TrafficGroup group = bulk();
  group.window_bytes = 64 * 1024;
  const Measurement before = measure(network, {group}, kOptions);
  EXPECT_EQ(station(before), "window");
  EXPECT_EQ(before.limits[0].constant, "receive window 65536 bytes");
  EXPECT_PRED3(near, goodput(before), 65'160 * 8 * 1000, 40'000'000) << "a window per millisecond";

  Network faster = network;
  for (host::Machine& machine : faster.machines)
    machine.nic_rate = {40'000'000'000};
  EXPECT_PRED3(near, goodput(measure(faster, {group}, kOptions)), goodput(before),
               goodput(before) / 10)
      << "not the link";
  group.window_bytes *= 2;
  EXPECT_GT(goodput(measure(network, {group}, kOptions)), goodput(before) * 17 / 10);
}

TEST(Limits, ACoreLetsOnePacketThroughPerItsCost) {
  const Network network = with_costs();
  const Measurement before = measure(network, {datagrams(8'000'000'000, 1000)}, kOptions);
  EXPECT_TRUE(station(before).starts_with("cpu node-2 core")) << station(before);
  EXPECT_EQ(before.limits[0].source, "cost profile test");
  EXPECT_PRED3(near, goodput(before), in_full_polls(1000 * 8 * 500'000ll), 10'000'000)
      << "2 µs for one alone";
  EXPECT_EQ(before.traffic[0].drops.total(), before.traffic[0].drops[Drop::CpuBacklogFull]);

  Network free = network;
  free.costs.reset();
  EXPECT_PRED3(near, goodput(measure(free, {datagrams(8'000'000'000, 1000)}, kOptions)),
               8'000'000'000, 10'000'000);
}

TEST(Limits, DatagramsThatGetTheirRateAreNotLimitedByALinkThatOthersFill) {
  const auto limit_at = [](std::int64_t rate) {
    const Measurement result = measure(network({}), {datagrams(rate, 1000), bulk()}, kOptions);
    const auto of = std::ranges::find(result.limits, "datagrams", &model::Limit::traffic);
    return of == result.limits.end() ? "" : of->station;
  };
  EXPECT_EQ(limit_at(20'000'000), "application");
  EXPECT_EQ(limit_at(12'000'000'000), "link node-1 eth0");
}

TEST(Limits, EqualSendersShareAFullQueueEqually) {
  const Measurement result = measure(
      network({}), {datagrams(6'000'000'000, 1000), datagrams(6'000'000'000, 1000)}, kOptions);
  const std::int64_t first = result.traffic[0].goodput_bps;
  const std::int64_t second = result.traffic[1].goodput_bps;
  EXPECT_PRED3(near, first, second, second / 10);
  EXPECT_PRED3(near, first + second, 10'000'000'000 / 1066 * 1000, 100'000'000)
      << "1000 of every 1066 bytes on the link are payload";
}

TEST(Limits, ABulkFlowFillsTheCoreThatLimitsIt) {
  TrafficGroup group = bulk();
  group.window_bytes = 1 << 19;  // The receive ring holds it: nothing is lost.
  const Measurement result = measure(with_costs(), {group}, kOptions);
  EXPECT_TRUE(station(result).starts_with("cpu node-2 core")) << station(result);
  EXPECT_PRED3(near, goodput(result), 1448 * 8 * 500'000ll, 100'000'000);
  EXPECT_PRED3(near, result.cpu_utilisation.max_ppm, 250'000, 10'000) << "one core of four";
}

TEST(Limits, IpipShowsOneCoreWhatVxlanSpreadsOverAll) {
  using host::TunnelRss;
  const auto cores_busy = [](Encapsulation encapsulation, host::UdpRss rss = {},
                             TunnelRss tunnels = TunnelRss::Outer) {
    Network network = testing::network({.encapsulation = encapsulation});
    for (host::Machine& machine : network.machines) {
      machine.nic_rate = {40'000'000'000};
      machine.udp_rss = rss;
      machine.ipip_rss = machine.udp_tunnel_rss = tunnels;
    }
    network.costs = only(cost::Stage::NapiReceive, {.per_packet = microseconds(2)});
    TrafficGroup group = datagrams(300'000'000, 200);
    group.flows_per_pair = 32;
    return measure(network, {group}, kOptions).traffic[0].goodput_bps;
  };
  // 32 flows of 187,500 packets per second each offer 8 cores' worth of work.
  const std::int64_t per_core = in_full_polls(500'000ll * 200 * 8);
  EXPECT_PRED3(near, cores_busy(Encapsulation::Ipip), per_core, per_core / 100);
  EXPECT_PRED3(near, cores_busy(Encapsulation::Vxlan), 4 * per_core, per_core / 10);
  EXPECT_PRED3(near, cores_busy(Encapsulation::Vxlan, host::UdpRss::TwoTuple), per_core,
               per_core / 100)
      << "a NIC that hashes addresses only";
  EXPECT_PRED3(near, cores_busy(Encapsulation::Ipip, {}, TunnelRss::Inner), 4 * per_core,
               per_core / 10)
      << "a NIC that looks into IP in IP, such as mlx5";
  EXPECT_PRED3(near, cores_busy(Encapsulation::Ipip, host::UdpRss::TwoTuple, TunnelRss::Inner),
               per_core, per_core / 100)
      << "the pods' addresses, which all flows share";
  EXPECT_PRED3(near, cores_busy(Encapsulation::Vxlan, {}, TunnelRss::Inner), 4 * per_core,
               per_core / 10);
}

TEST(Limits, SteeringSpreadsWhatOneQueueReceives) {
  const auto throughput = [](bool rps) {
    Network network = testing::network({.encapsulation = Encapsulation::Ipip});
    network.costs = only(cost::Stage::NapiReceive, {.per_packet = nanoseconds(200)});
    (*network.costs)[cost::Stage::Steer].per_skb = nanoseconds(100);
    (*network.costs)[cost::Stage::DecapIpip].per_skb = microseconds(2);
    for (host::Machine& machine : network.machines)
      machine.rps = rps;
    TrafficGroup group = datagrams(80'000'000, 200);
    group.flows_per_pair = 32;
    return measure(network, {group}, kOptions).traffic[0].goodput_bps;
  };
  const std::int64_t one_core = in_full_polls(200 * 8 * 1'000'000'000ll / 2'200);
  EXPECT_PRED3(near, throughput(false), one_core, one_core / 50);
  // The flows fall unevenly on the four cores, one of which also polls.
  EXPECT_GT(throughput(true), one_core * 2);
}

TEST(Limits, NamesOneFlowPerDistinctLimit) {
  TrafficGroup group = bulk({pair(0, 1), pair(2, 1), pair(2, 1, 1)});
  const Measurement result = measure(network({.nodes = 3}), {group}, kOptions);
  ASSERT_FALSE(result.limits.empty());
  EXPECT_LE(result.limits.size(), 2u);
  EXPECT_EQ(result.limits[0].flow, 0);
}

}  // namespace limits_test

}  // namespace overlane::run
