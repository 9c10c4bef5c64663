#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace vhost_test {

using namespace testing;
using cost::Stage;

const RunOptions kOptions{
    .duration = milliseconds(40), .warm_up = milliseconds(20), .start_spread = {}};

/// Virtual machines of fast hypervisors, with everything free but one stage.
Network guests(Stage stage, const cost::StageCost& cost, const ClusterShape& shape = {},
               cost::Wire wire = cost::Wire::Virtio) {
  Network network = testing::network(shape);
  network.wire = wire;
  network.costs = only(stage, cost);
  for (host::Machine& machine : network.machines) {
    machine = host::usual_machine(wire);
    machine.nic_rate = {100'000'000'000};
  }
  return network;
}

std::int64_t goodput(const Network& network, const TrafficGroup& group) {
  return measure(network, {group}, kOptions).traffic[0].goodput_bps;
}

TEST(Vhost, ABufferPassesWholeUnlessItIsTunnelled) {
  // 4 µs for each buffer: 45 segments directly, one in a tunnel, which its acknowledgements join.
  const cost::StageCost cost{.per_skb = microseconds(4)};
  const std::int64_t direct = goodput(guests(Stage::Vhost, cost), bulk());
  EXPECT_GT(direct, 40'000'000'000);
  for (const Encapsulation encapsulation : {Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const std::int64_t tunnelled =
        goodput(guests(Stage::Vhost, cost, {.encapsulation = encapsulation}), bulk());
    EXPECT_LT(tunnelled, direct / 10) << to_string(encapsulation);
    EXPECT_GT(tunnelled, 1'400'000'000) << to_string(encapsulation);
  }
}

TEST(Vhost, ATunnelIsSeveralTimesSlowerWhereANicIsNot) {
  cost::CostProfile profile{.name = "kernel", .stages = {}};
  profile[Stage::SocketSend] = {nanoseconds(1000), {}, picoseconds(100)};
  profile[Stage::DriverSend] = {nanoseconds(400), nanoseconds(20), {}};
  profile[Stage::Segment] = {{}, nanoseconds(250), picoseconds(50)};
  profile[Stage::NapiReceive] = {nanoseconds(230), nanoseconds(120), {}};
  profile[Stage::SocketReceive] = {nanoseconds(700), {}, picoseconds(150)};
  profile[Stage::Vhost] = {nanoseconds(2400), {}, picoseconds(100)};
  const auto share = [&](cost::Wire wire) {
    const auto rate = [&](Encapsulation encapsulation) {
      Network network = guests(Stage::Vhost, {}, {.encapsulation = encapsulation}, wire);
      network.costs = profile;
      return static_cast<double>(goodput(network, bulk()));
    };
    return rate(Encapsulation::Vxlan) / rate(Encapsulation::None);
  };
  EXPECT_LT(share(cost::Wire::Virtio), 0.25);
  EXPECT_GT(share(cost::Wire::Nic), 0.9);
}

TEST(Vhost, OffloadsForTunnelsKeepBuffersWhole) {
  const cost::StageCost cost{.per_skb = microseconds(4)};
  Network network = guests(Stage::Vhost, cost, {.encapsulation = Encapsulation::Vxlan});
  for (host::Machine& machine : network.machines)
    machine.offloads.udp_tnl_segmentation = true;
  EXPECT_GT(goodput(network, bulk()), 40'000'000'000);
}

TEST(Vhost, WorksOutsideTheGuestsCores) {
  const Network network = guests(Stage::Vhost, {.per_skb = microseconds(4)});
  const Measurement result = measure(network, {datagrams(8'000'000'000, 1000)}, kOptions);
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, 250'000 * 8000ll, 20'000'000);
  EXPECT_EQ(result.node_busy_ppm, (std::vector<std::int64_t>{0, 0}));
}

TEST(Vhost, OneThreadServesBothDirections) {
  const Network network = guests(Stage::Vhost, {.per_skb = microseconds(4)});
  const TrafficGroup both = datagrams(8'000'000'000, 1000, {pair(0, 1), pair(1, 0)});
  EXPECT_PRED3(near, goodput(network, both), 250'000 * 8000ll, 60'000'000);
}

TEST(Vhost, EachPairOfQueuesHasItsThread) {
  std::vector<PodPair> pairs;
  for (std::uint32_t pod = 0; pod < 8; ++pod)
    pairs.push_back(pair(0, 1, pod));
  Network network = guests(Stage::Vhost, {.per_skb = microseconds(4)}, {.pods_per_node = 8});
  const TrafficGroup many = datagrams(8'000'000'000, 1000, pairs);
  const std::int64_t one = goodput(network, many);
  for (host::Machine& machine : network.machines)
    machine.nic_queues = 4;
  EXPECT_GT(goodput(network, many), one * 3 / 2);
}

TEST(Vhost, WhatTheTapDeviceHasNoRoomForIsLostInTheFabric) {
  const Network network = guests(Stage::Vhost, {.per_skb = microseconds(4)}, {.nodes = 3});
  const Measurement result =
      measure(network, {datagrams(8'000'000'000, 1000, {pair(1, 0), pair(2, 0)})}, kOptions);
  const DropCounts& drops = result.traffic[0].drops;
  EXPECT_GT(drops[Drop::FabricQueueFull], 1000);
  EXPECT_EQ(drops.total(), drops[Drop::FabricQueueFull]);
}

TEST(Vhost, IsNamedAsTheLimitWithTheReason) {
  const auto limit = [](Encapsulation encapsulation) {
    const Network network =
        guests(Stage::Vhost, {.per_skb = microseconds(4)}, {.encapsulation = encapsulation});
    return measure(network, {bulk()}, kOptions).limits.at(0);
  };
  const model::Limit tunnelled = limit(Encapsulation::Vxlan);
  EXPECT_EQ(tunnelled.station, "hypervisor of node-1 vhost thread 0");
  EXPECT_EQ(tunnelled.constant,
            "CPU time of the stage vhost for each packet, as the guest segments its buffers");
  EXPECT_EQ(limit(Encapsulation::None).constant, "CPU time of the stage vhost for each buffer");
}

TEST(Vhost, ALostPacketDoesNotHoldUpItsBuffer) {
  Network network = guests(Stage::Vhost, {.per_skb = microseconds(1)});
  network.paths.loss.within_zone = network.paths.loss.across_zones = fabric::Loss::kAll / 1000;
  const Measurement result = measure(network, {bulk()}, kOptions);
  EXPECT_GT(result.traffic[0].drops[Drop::RandomLoss], 5);
  EXPECT_GT(result.traffic[0].goodput_bps, 200'000'000);
}

TEST(Vhost, IsAsFreeAsAnyNicWhereCpuTimeIs) {
  Network nic = testing::network();
  Network virtio = nic;
  virtio.wire = cost::Wire::Virtio;
  expect_the_same(measure(nic, {bulk()}, kOptions), measure(virtio, {bulk()}, kOptions));
}

}  // namespace vhost_test
}  // namespace overlane::run
