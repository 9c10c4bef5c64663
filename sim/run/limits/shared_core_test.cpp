#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {

namespace shared_core_test {

using namespace testing;

const RunOptions kOptions{.duration = milliseconds(20), .warm_up = milliseconds(5)};

/// Two nodes with four cores each, an IPIP tunnel, and a NIC that hashes its outer header.
Network over_ipip() {
  Network network = testing::network({.encapsulation = Encapsulation::Ipip});
  network.costs = only(cost::Stage::NapiReceive, {.per_packet = microseconds(2)});
  return network;
}

/// Datagrams that take a core 1.5 times its time in total.
std::vector<TrafficGroup> datagrams_of(std::uint32_t flows) {
  TrafficGroup group = datagrams(1'200'000'000 / flows, 200);
  group.flows_per_pair = flows;
  return {group};
}

TEST(SharedReceiveCore, IsReportedWithItsFlowsAndItsTime) {
  const auto shared = measure(over_ipip(), datagrams_of(8), kOptions).shared_core;
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->node, 1u);
  EXPECT_LT(shared->core, 4u);
  EXPECT_EQ(shared->flows, 8u);
  EXPECT_EQ(shared->queues, 4u);
  EXPECT_EQ(shared->idle_cores, 3u);
  EXPECT_PRED3(near, shared->busy_ppm, 1'000'000, 10'000);
  EXPECT_EQ(shared->more_nodes, 0u);
}

TEST(SharedReceiveCore, IsNoneIfFlowsAreSpreadOrAlone) {
  Network inner = over_ipip();
  for (host::Machine& machine : inner.machines)
    machine.ipip_rss = host::TunnelRss::Inner;
  EXPECT_FALSE(measure(inner, datagrams_of(64), kOptions).shared_core);
  EXPECT_FALSE(measure(over_ipip(), datagrams_of(1), kOptions).shared_core);
  Network one_queue = over_ipip();
  for (host::Machine& machine : one_queue.machines)
    machine.nic_queues = 1;
  EXPECT_FALSE(measure(one_queue, datagrams_of(8), kOptions).shared_core) << "no hash decides";
}

TEST(SharedReceiveCore, IsNoneIfTheCoreHasTimeLeftOrTheKernelSteers) {
  TrafficGroup few = datagrams(30'000'000, 200);
  few.flows_per_pair = 8;
  EXPECT_FALSE(measure(over_ipip(), {few}, kOptions).shared_core);
  Network steered = over_ipip();
  for (host::Machine& machine : steered.machines)
    machine.rps = true;
  EXPECT_FALSE(measure(steered, datagrams_of(8), kOptions).shared_core);
  Network free = over_ipip();
  free.costs.reset();
  EXPECT_FALSE(measure(free, datagrams_of(8), kOptions).shared_core);
}

}  // namespace shared_core_test

}  // namespace overlane::run
