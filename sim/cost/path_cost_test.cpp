#include "sim/cost/path_cost.h"

#include <initializer_list>

#include <gtest/gtest.h>

namespace overlane::cost {
namespace path_cost_test {

constexpr std::int64_t bit(Stage stage) {
  return std::int64_t{1} << static_cast<int>(stage);
}
constexpr std::int64_t bits(std::initializer_list<Stage> stages) {
  std::int64_t sum = 0;
  for (const Stage stage : stages)
    sum |= bit(stage);
  return sum;
}

/// A profile of powers of two: a sum shows which stages it contains.
CostProfile powers() {
  CostProfile profile{.name = "powers", .stages = {}};
  for (std::size_t i = 0; i < kStageCount; ++i)
    profile.stages[i].per_skb = picoseconds(std::int64_t{1} << i);
  return profile;
}

constexpr std::int64_t kStack = bits({Stage::Veth, Stage::Netfilter, Stage::Fib});
constexpr std::int64_t kOut = bits({Stage::SocketSend, Stage::DriverSend});
constexpr std::int64_t kIn = bits({Stage::NapiReceive, Stage::SocketReceive});

TEST(PathCosts, HostStackPathsSumTheStagesOnThePath) {
  const PathCosts costs(powers(), Datapath::Netfilter, {});
  EXPECT_EQ(costs.send(Encapsulation::None).first.count, kOut | kStack);
  EXPECT_EQ(costs.send(Encapsulation::Ipip).first.count, kOut | kStack | bit(Stage::EncapIpip));
  EXPECT_EQ(costs.send(Encapsulation::Geneve).first.count, kOut | kStack | bit(Stage::EncapVxlan));
  const std::int64_t in = kIn | kStack;
  EXPECT_EQ(costs.receive(Encapsulation::None).first.count, in);
  EXPECT_EQ(costs.receive(Encapsulation::Ipip).first.count, in | bit(Stage::DecapIpip));
  EXPECT_EQ(costs.receive(Encapsulation::Vxlan).first.count, in | bit(Stage::DecapVxlan));
  EXPECT_EQ(costs.local().first.count,
            (bits({Stage::SocketSend, Stage::SocketReceive}) | kStack) + bit(Stage::Veth));
  EXPECT_EQ(costs.interrupt().count, bit(Stage::Interrupt));
  EXPECT_EQ(costs.wake_up().count, bit(Stage::WakeUp));
  EXPECT_EQ(costs.wake_ipi().count, bit(Stage::WakeIpi));
  EXPECT_EQ(costs.sleep().count, bits({Stage::Sleep, Stage::PodSleep}));
}

TEST(PathCosts, NodeSocketsCostAsMuchAsOnAHostWithoutPods) {
  const PathCosts host(powers(), Datapath::Host, {});
  for (const Datapath datapath : {Datapath::Netfilter, Datapath::Ebpf}) {
    const PathCosts costs(powers(), datapath, {});
    EXPECT_EQ(costs.send(Encapsulation::None, Side::Node), host.send(Encapsulation::None));
    EXPECT_EQ(costs.receive(Encapsulation::None, Side::Node), host.receive(Encapsulation::None));
    const bool by_ebpf = datapath == Datapath::Ebpf;
    EXPECT_EQ(costs.send(Encapsulation::Vxlan, Side::Node).first.count,
              kOut | bit(by_ebpf ? Stage::EbpfEncap : Stage::EncapVxlan));
    EXPECT_EQ(costs.receive(Encapsulation::Vxlan, Side::Node).first.count,
              kIn | bit(by_ebpf ? Stage::EbpfDecap : Stage::DecapVxlan));
  }
}

TEST(PathCosts, EbpfPathsBypassTheHostStack) {
  const PathCosts costs(powers(), Datapath::Ebpf, {});
  EXPECT_EQ(costs.send(Encapsulation::None).first.count, kOut | bit(Stage::EbpfPass));
  EXPECT_EQ(costs.send(Encapsulation::Vxlan).first.count,
            kOut | bits({Stage::EbpfPass, Stage::EbpfEncap}));
  EXPECT_EQ(costs.receive(Encapsulation::Vxlan).first.count,
            kIn | bits({Stage::EbpfPass, Stage::EbpfDecap}));
}

TEST(PathCosts, WireGuardHandlesEveryPacketAsABuffer) {
  CostProfile profile = powers();
  profile[Stage::Segment].per_packet = microseconds(1);
  const PathCosts costs(profile, Datapath::Netfilter, {});
  const auto each = [](std::int64_t count) {
    return PathCost{picoseconds(count), picoseconds(count), {}};
  };
  const PathCost& sent = costs.send(Encapsulation::Wireguard);
  EXPECT_TRUE(sent.is_sealed);
  EXPECT_EQ(sent.first.count, bit(Stage::SocketSend) | kStack);
  EXPECT_EQ(sent.further, microseconds(1)) << "cut before it is encrypted";
  EXPECT_EQ(costs.crypt(), each(bit(Stage::WireguardCrypt)));
  EXPECT_EQ(costs.seal(), each(bits({Stage::WireguardSend, Stage::DriverSend})));
  EXPECT_TRUE(costs.receive(Encapsulation::Wireguard).is_sealed);
  EXPECT_EQ(costs.receive(Encapsulation::Wireguard).further.count, bit(Stage::NapiReceive));
  constexpr std::int64_t kOpen = bits({Stage::WireguardReceive, Stage::SocketReceive});
  EXPECT_EQ(costs.open(Family::Ipv4).first.count, kOpen | kStack);
  EXPECT_EQ(costs.open(Family::Ipv4).further.count, bit(Stage::WireguardReceive));
  EXPECT_EQ(costs.open(Family::Ipv4, Side::Node).first.count, kOpen);
  const PathCost& own = costs.send(Encapsulation::Wireguard, Side::Node);
  EXPECT_TRUE(own.is_sealed);
  EXPECT_EQ(own.first.count, bit(Stage::SocketSend));
  EXPECT_FALSE(costs.send(Encapsulation::Vxlan).is_sealed);
}

TEST(PathCosts, Ipv6CostsAsMuchAsIpv4UnlessTheProfileDiffers) {
  CostProfile profile = powers();
  const auto path = [](Family family) {
    return PathCosts::path(Side::Pod, Side::Nic, Encapsulation::Vxlan, Encapsulation::Vxlan,
                           family);
  };
  const PathCosts same(profile, Datapath::Netfilter, {});
  EXPECT_EQ(same[path(Family::Ipv6)], same[path(Family::Ipv4)]);
  profile.netfilter_ipv6 = StageCost{.per_skb = profile[Stage::Netfilter].per_skb * 2};
  profile.fib_ipv6 = StageCost{.per_skb = profile[Stage::Fib].per_skb + picoseconds(5)};
  const PathCosts other(profile, Datapath::Netfilter, {});
  EXPECT_EQ(other[path(Family::Ipv4)], same[path(Family::Ipv4)]);
  EXPECT_EQ(other[path(Family::Ipv6)].first - same[path(Family::Ipv4)].first,
            profile[Stage::Netfilter].per_skb + picoseconds(5));
}

TEST(PathCosts, SocketsOfAHostHaveNoPodStages) {
  const PathCosts costs(powers(), Datapath::Host, {});
  EXPECT_EQ(costs.send(Encapsulation::None).first.count, kOut);
  EXPECT_EQ(costs.receive(Encapsulation::None).first.count, kIn);
  EXPECT_EQ(costs.sleep().count, bit(Stage::Sleep));
}

TEST(PathCosts, KernelSegmentsWhatTheNicCannot) {
  CostProfile profile{.name = "segments", .stages = {}};
  profile[Stage::Segment] = {{}, nanoseconds(200), picoseconds(50)};
  profile[Stage::DriverSend] = {nanoseconds(300), nanoseconds(40), {}};
  const Offloads plain{.ipxip4_segmentation = false, .udp_tnl_segmentation = false};
  const PathCosts costs(profile, Datapath::Netfilter, plain);
  EXPECT_EQ(costs.send(Encapsulation::None), (PathCost{nanoseconds(340), nanoseconds(40), {}}));
  const PathCost in_software{nanoseconds(340), nanoseconds(240), picoseconds(50)};
  EXPECT_EQ(costs.send(Encapsulation::Ipip), in_software);
  EXPECT_EQ(costs.send(Encapsulation::Vxlan), in_software);
  const PathCosts none(profile, Datapath::Netfilter, {.tso = false});
  EXPECT_EQ(none.send(Encapsulation::None), in_software);
  EXPECT_EQ(none.send(Encapsulation::Vxlan), costs.send(Encapsulation::None));
}

/// A VXLAN device without checksum offload encapsulates each packet; IPIP and routed pods are as
/// before.
TEST(PathCosts, ATunnelDeviceWithoutChecksumsSegmentsBeforeItEncapsulates) {
  CostProfile profile{.name = "device", .stages = {}};
  profile[Stage::SocketSend] = {nanoseconds(1000), {}, {}};
  profile[Stage::Segment] = {{}, nanoseconds(200), picoseconds(50)};
  profile[Stage::EncapVxlan] = {nanoseconds(500), {}, {}};
  for (const Wire wire : {Wire::Nic, Wire::Veth}) {
    const PathCosts whole(profile, Datapath::Netfilter, {}, wire);
    const PathCosts broken(profile, Datapath::Netfilter, {.tunnel_checksum = false}, wire);
    const PathCost each{.first = nanoseconds(1500),
                        .further = nanoseconds(200 + 500 * kBurstPercent / 100),
                        .per_byte = picoseconds(50),
                        .is_cut = true};
    EXPECT_EQ(broken.send(Encapsulation::Vxlan), each);
    EXPECT_EQ(broken.send(Encapsulation::Geneve), each);
    for (const Encapsulation other : {Encapsulation::None, Encapsulation::Ipip})
      EXPECT_EQ(broken.send(other), whole.send(other));
    EXPECT_EQ(broken.receive(Encapsulation::Vxlan), whole.receive(Encapsulation::Vxlan));
    // Without GSO everywhere, the pod's device segments; the tunnel's only sums on a veth.
    const PathCosts cut(profile, Datapath::Netfilter, {.gso = false, .tunnel_checksum = false},
                        wire);
    EXPECT_EQ(cut.send(Encapsulation::Vxlan), each);
  }
}

/// Before Linux 5.12, each VXLAN packet of a virtio NIC passes the tunnel's device, where a second
/// GRO merges them. IPIP, routed pods and other NICs do not differ.
TEST(PathCosts, OldKernelsMergePacketsWithoutChecksumBehindTheTunnel) {
  CostProfile profile{.name = "old", .stages = {}};
  profile[Stage::NapiReceive] = {nanoseconds(200), nanoseconds(100), {}};
  profile[Stage::DecapVxlan] = {nanoseconds(1000), {}, {}};
  profile[Stage::Netfilter] = {nanoseconds(500), {}, {}};
  Offloads offloads = usual_offloads(Wire::Virtio);
  const PathCosts recent(profile, Datapath::Netfilter, offloads, Wire::Virtio);
  offloads.zero_checksum_gro = false;
  const PathCosts old(profile, Datapath::Netfilter, offloads, Wire::Virtio);
  EXPECT_EQ(recent.receive(Encapsulation::Vxlan),
            (PathCost{nanoseconds(1800), nanoseconds(100), {}}));
  EXPECT_EQ(old.receive(Encapsulation::Vxlan),
            (PathCost{nanoseconds(1900), nanoseconds(200 + 1200 * kBurstPercent / 100), {}}));
  EXPECT_EQ(old.receive(Encapsulation::Geneve), old.receive(Encapsulation::Vxlan));
  for (const Encapsulation other : {Encapsulation::None, Encapsulation::Ipip})
    EXPECT_EQ(old.receive(other), recent.receive(other));
  const PathCosts nic(profile, Datapath::Netfilter, offloads, Wire::Nic);
  EXPECT_EQ(nic.receive(Encapsulation::Vxlan), recent.receive(Encapsulation::Vxlan));
}

TEST(PathCosts, WithoutGsoThePodsDeviceCutsABuffer) {
  CostProfile profile{.name = "cut", .stages = {}};
  profile[Stage::SocketSend] = {nanoseconds(1000), {}, picoseconds(100)};
  profile[Stage::Segment] = {{}, nanoseconds(200), picoseconds(50)};
  profile[Stage::Netfilter] = {nanoseconds(500), {}, {}};
  const PathCosts whole(profile, Datapath::Netfilter, {}, Wire::Veth);
  EXPECT_EQ(whole.send(Encapsulation::None), (PathCost{nanoseconds(1500), {}, picoseconds(100)}));
  const PathCosts cut(profile, Datapath::Netfilter, {.gso = false}, Wire::Veth);
  EXPECT_EQ(cut.send(Encapsulation::None),
            (PathCost{.first = nanoseconds(1500),
                      .further = nanoseconds(200 + 500 * kBurstPercent / 100),
                      .per_byte = picoseconds(100),
                      .is_cut = true}))
      << "each packet passes netfilter, and none the socket again";
  EXPECT_EQ(cut.receive(Encapsulation::None), whole.receive(Encapsulation::None));
}

TEST(PathCosts, AVirtioQueueTakesABufferAsOneUnlessItIsTunnelled) {
  CostProfile profile{.name = "virtio", .stages = {}};
  profile[Stage::Segment] = {{}, nanoseconds(200), picoseconds(50)};
  profile[Stage::DriverSend] = {nanoseconds(300), nanoseconds(40), {}};
  profile[Stage::NapiReceive] = {nanoseconds(230), nanoseconds(120), {}};
  profile[Stage::Vhost] = {nanoseconds(2000), {}, picoseconds(100)};
  const PathCosts costs(profile, Datapath::Netfilter, usual_offloads(Wire::Virtio), Wire::Virtio);
  EXPECT_EQ(costs.send(Encapsulation::None), (PathCost{nanoseconds(340), {}, {}}));
  EXPECT_EQ(costs.receive(Encapsulation::None), (PathCost{nanoseconds(350), {}, {}}));
  for (const Encapsulation tunnel : {Encapsulation::Ipip, Encapsulation::Vxlan}) {
    EXPECT_EQ(costs.send(tunnel), (PathCost{nanoseconds(340), nanoseconds(540), picoseconds(50)}));
    EXPECT_EQ(costs.receive(tunnel),
              (PathCost{nanoseconds(350), nanoseconds(120), picoseconds(50)}))
        << "GRO computes the checksum";
  }
  EXPECT_EQ(costs.vhost(), (PathCost{nanoseconds(2000), {}, picoseconds(100)}));
  const PathCosts offloaded(profile, Datapath::Netfilter, {}, Wire::Virtio);
  EXPECT_EQ(offloaded.send(Encapsulation::Vxlan), costs.send(Encapsulation::None));
  EXPECT_EQ(offloaded.receive(Encapsulation::Vxlan), costs.receive(Encapsulation::None));
}

TEST(PathCosts, PacketsOfOneBufferPayThePerBufferCostOnce) {
  const PathCost cost{nanoseconds(1900), nanoseconds(300), picoseconds(100)};
  EXPECT_EQ(cost.of(1000), nanoseconds(1900 + 100));
  EXPECT_EQ(cost.of(1000, Arrival::SharesBuffer), nanoseconds(300 + 100));
}

TEST(CostProfile, StagesAreListedInEnumOrder) {
  for (std::size_t i = 0; i < kStageCount; ++i)
    EXPECT_EQ(static_cast<std::size_t>(kStages[i].stage), i);
}

}  // namespace path_cost_test
}  // namespace overlane::cost
