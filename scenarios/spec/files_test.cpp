#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "scenarios/spec/cost_profile.h"
#include "scenarios/spec/topology_file.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::spec {
namespace files_test {

using ::testing::HasSubstr;

document::Tree tree(const std::string& text) {
  return document::parse(text, "file.yaml").documents.at(0);
}

std::string topology_with(const std::string& vpcs, const std::string& shoots) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: lab}\nspec:\n  "
         "vpcs: " +
         vpcs + "\n  shoots: " + shoots + "\n";
}

TEST(TopologyFile, ReadsTheVpcAndItsShoot) {
  const auto file = decode_topology(tree(R"(apiVersion: overlane.dev/v1alpha1
kind: Topology
metadata: {name: lab}
spec:
  vpcs:
  - {name: v, provider: aws, mtu: 9001, zones: [a, b], routeQuota: 50, latency: {withinZone: 30us}}
  shoots:
  - {manifest: shoot.yaml, shoot: garden-dev/x, vpc: v, nodes: 3, podsPerNode: 7, machine: {cores: 8, nic: 25Gbit/s}}
)"));
  ASSERT_TRUE(file) << file.error().front().to_string();
  EXPECT_EQ(file->vpc.mtu, 9001u);
  EXPECT_EQ(file->vpc.zones, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file->vpc.route_quota, 50u);
  EXPECT_EQ(file->vpc.latency_within_zone, microseconds(30));
  EXPECT_EQ(file->vpc.latency_across_zones, std::nullopt);
  EXPECT_EQ(file->shoot.manifest, "shoot.yaml");
  EXPECT_EQ(file->shoot.nodes, 3u);
  EXPECT_EQ(file->shoot.machine.nic, BitsPerSecond{25'000'000'000});
}

TEST(TopologyFile, ReadsMachineAndSingleFlowLimit) {
  const auto file = decode_topology(tree(topology_with("[{name: v, singleFlowCap: 10Gbit/s}]", R"(
  - manifest: a.yaml
    machine:
      udp4Rss: 2tuple
      ipipRss: inner
      udpTunnelRss: outer
      receiveRing: 512
      interruptGap: 50us
      offloads: {tx-udp_tnl-segmentation: false, generic-receive-offload: true}
      bandwidth: {baseline: 750Mbit/s, burst: 5s}
      packets: {perSecond: 100000, burst: 1000}
)")));
  ASSERT_TRUE(file) << file.error().front().to_string();
  EXPECT_EQ(file->vpc.single_flow.rate, BitsPerSecond{10'000'000'000});
  const MachineSpec& machine = file->shoot.machine;
  EXPECT_EQ(machine.udp_rss, host::UdpRss::TwoTuple);
  EXPECT_EQ(machine.ipip_rss, host::TunnelRss::Inner);
  EXPECT_EQ(machine.udp_tunnel_rss, host::TunnelRss::Outer);
  EXPECT_EQ(machine.receive_ring, 512u);
  EXPECT_EQ(machine.interrupt_gap, microseconds(50));
  cost::Offloads offloads{.gro = false};
  apply(machine.offloads, offloads);
  EXPECT_EQ(offloads, (cost::Offloads{.udp_tnl_segmentation = false}));
  EXPECT_EQ(machine.bandwidth->baseline, BitsPerSecond{750'000'000});
  EXPECT_EQ(machine.bandwidth->burst, milliseconds(5000));
  EXPECT_EQ(machine.packets, (fabric::PacketAllowance{100'000, 1000}));
}

TEST(TopologyFile, ReadsTheWire) {
  const auto wire = [](const std::string& more) {
    const auto file =
        decode_topology(tree(topology_with("[{name: v}]", "[{manifest: a.yaml" + more + "}]")));
    EXPECT_TRUE(file) << file.error().front().to_string();
    return std::pair(file->shoot.wire, file->shoot.machine.queues);
  };
  EXPECT_EQ(wire("").first, std::nullopt) << "the provider's";
  EXPECT_EQ(wire(", wire: nic").first, cost::Wire::Nic);
  EXPECT_EQ(wire(", wire: veth").first, cost::Wire::Veth);
  EXPECT_EQ(wire(", wire: virtio, machine: {queues: 4, nic: 25Gbit/s}"),
            std::pair(std::optional(cost::Wire::Virtio), std::optional(4u)));
}

TEST(TopologyFile, ReadsTheLatenciesOfTheFabric) {
  const auto file = decode_topology(
      tree(topology_with("[{name: v, latency: {withinZone: 30us, acrossZones: 1ms, jitter: 5us}}]",
                         "[{manifest: a.yaml}]")));
  ASSERT_TRUE(file) << file.error().front().to_string();
  EXPECT_EQ(file->vpc.latency_within_zone, microseconds(30));
  EXPECT_EQ(file->vpc.latency_across_zones, microseconds(1000));
  EXPECT_EQ(file->vpc.latency_jitter, microseconds(5));
}

TEST(TopologyFile, ReadsRestrictionsOfTheFabric) {
  const auto file = decode_topology(tree(topology_with(
      "[{name: v, pathMtu: {acrossZones: 1400}, deny: [{protocol: icmpv6, type: 2}]}]",
      "[{manifest: a.yaml}]")));
  ASSERT_TRUE(file) << file.error().front().to_string();
  EXPECT_EQ(file->vpc.fabric.path_mtu, node::FabricPathMtu{.across_zones = 1400});
  EXPECT_EQ(file->vpc.fabric.denied,
            (std::vector<node::DenyRule>{{.protocol = 58, .icmp_type = 2}}));
}

TEST(TopologyFile, ReadsRoutesOfOthers) {
  const auto file = decode_topology(tree(topology_with(
      "[{name: v, foreignRoutes: [{destination: 100.96.1.0/25}, {destination: 10.9.0.0/16, "
      "leadsTo: blackhole}]}]",
      "[{manifest: a.yaml}]")));
  ASSERT_TRUE(file) << file.error().front().to_string();
  ASSERT_EQ(file->vpc.foreign_routes.size(), 2u);
  EXPECT_EQ(file->vpc.foreign_routes[0].destination.to_string(), "100.96.1.0/25");
  EXPECT_FALSE(file->vpc.foreign_routes[0].is_blackhole);
  EXPECT_TRUE(file->vpc.foreign_routes[1].is_blackhole);
}

TEST(TopologyFile, SingleFlowLimitMayBeNone) {
  const auto file =
      decode_topology(tree(topology_with("[{name: v, singleFlowCap: none}]", "[{manifest: a}]")));
  ASSERT_TRUE(file) << file.error().front().to_string();
  EXPECT_EQ(file->vpc.single_flow, RateOrNone{.none = true});
}

TEST(TopologyFile, ReadsTheRacks) {
  const auto racks = [](const std::string& text) {
    const auto file = decode_topology(
        tree(topology_with("[{name: v, racks: {" + text + "}}]", "[{manifest: a}]")));
    EXPECT_TRUE(file) << file.error().front().to_string();
    return file->vpc.racks.value();
  };
  const RacksSpec usual = racks("nodesPerRack: 32, spines: 8, uplink: 100Gbit/s");
  EXPECT_EQ(
      usual.racks,
      (fabric::Racks{
          .nodes_per_rack = 32, .spines = 8, .uplink = {100'000'000'000}, .queue_packets = 1000}));
  EXPECT_FALSE(usual.gives_queue);
  EXPECT_EQ(usual.place.line, 5);
  const RacksSpec other = racks("nodesPerRack: 1, spines: 256, uplink: 1Mbit/s, queue: 50");
  EXPECT_EQ(other.racks.queue_packets, 50u);
  EXPECT_TRUE(other.gives_queue);
}

struct BadTopology {
  const char* vpcs;
  const char* shoots;
  const char* rule;
  int line;
};

class BadTopologyFile : public ::testing::TestWithParam<BadTopology> {};

TEST_P(BadTopologyFile, IsRefusedAtItsLocation) {
  const BadTopology& bad = GetParam();
  const auto file = decode_topology(tree(topology_with(bad.vpcs, bad.shoots)));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().front().rule, bad.rule) << file.error().front().to_string();
  EXPECT_EQ(file.error().front().place.line, bad.line);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadTopologyFile,
    ::testing::Values(
        BadTopology{"[{name: v, mtu: 67}]", "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, mtu: 65536}]", "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, foreignRoutes: [{leadsTo: blackhole}]}]", "[{manifest: a.yaml}]",
                    "missing-key", 5},
        BadTopology{"[{name: v, foreignRoutes: [{destination: 10.0.0.0/8, leadsTo: moon}]}]",
                    "[{manifest: a.yaml}]", "bad-value", 5},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, nodes: 0}]", "out-of-range", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, nodes: two}]", "wrong-type", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, vpc: w}]", "unknown-vpc", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {nic: 0Gbit/s}}]",
                    "invalid-quantity", 6},
        BadTopology{"[{name: v, singleFlowCap: all}]", "[{manifest: a.yaml}]", "invalid-quantity",
                    5},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {udp4Rss: 5tuple}}]", "bad-value",
                    6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {offloads: {tx-magic: true}}}]",
                    "unknown-key", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {bandwidth: {burst: 1s}}}]",
                    "missing-key", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {threadsPerCore: 4}}]",
                    "out-of-range", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, machine: {cores: 3, threadsPerCore: 2}}]",
                    "out-of-range", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, wire: bridge}]", "bad-value", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, wire: veth, machine: {nic: 10Gbit/s}}]",
                    "bad-value", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, wire: veth, machine: {queues: 2}}]",
                    "bad-value", 6},
        BadTopology{"[{name: v}]", "[{manifest: a.yaml, wire: virtio, machine: {queues: 0}}]",
                    "out-of-range", 6},
        BadTopology{"[{name: v, latency: {withinZone: 5us}}]", "[{manifest: a.yaml, wire: veth}]",
                    "bad-value", 6},
        BadTopology{"[{name: v, racks: {nodesPerRack: 0, spines: 1, uplink: 1Gbit/s}}]",
                    "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 0, uplink: 1Gbit/s}}]",
                    "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 257, uplink: 1Gbit/s}}]",
                    "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 20000Gbit/s}}]",
                    "[{manifest: a.yaml}]", "invalid-quantity", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 1kbit/s}}]",
                    "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 100}}]",
                    "[{manifest: a.yaml}]", "invalid-quantity", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 1Gbit/s, queue: 0}}]",
                    "[{manifest: a.yaml}]", "out-of-range", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, uplink: 1Gbit/s}}]",
                    "[{manifest: a.yaml}]", "missing-key", 5},
        BadTopology{"[{name: v, racks: {}}]", "[{manifest: a.yaml}]", "missing-key", 5},
        BadTopology{"[{name: v, racks: 8}]", "[{manifest: a.yaml}]", "wrong-type", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 1Gbit/s, leafs: 2}}]",
                    "[{manifest: a.yaml}]", "unknown-key", 5},
        BadTopology{"[{name: v, racks: {nodesPerRack: 1, spines: 1, uplink: 1Gbit/s}}]",
                    "[{manifest: a.yaml, wire: veth}]", "bad-value", 6},
        BadTopology{"[{name: v}, {name: w}]", "[{manifest: a.yaml}]", "unsupported-topology", 5},
        BadTopology{"[{name: v}]", "[{nodes: 2}]", "missing-key", 6}));

TEST(CostProfile, LibraryProfileHasAPositiveCostForEveryStage) {
  const auto file = document::read_one(source_file("scenarios/library/linux-server.yaml"));
  ASSERT_TRUE(file) << file.error().to_string();
  const auto profile = decode_cost_profile(*file);
  ASSERT_TRUE(profile) << profile.error().front().to_string();
  EXPECT_EQ(profile->name, "linux-server");
  for (const cost::StageFacts& facts : cost::kStages) {
    const cost::StageCost& costs = (*profile)[facts.stage];
    EXPECT_GT((costs.per_skb + costs.per_packet + costs.per_byte).count, 0) << facts.name;
  }
}

TEST(CostProfile, MayLeaveOutTheHypervisor) {
  std::ifstream file(source_file("scenarios/library/kvm.yaml"));
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto whole = decode_cost_profile(tree(text));
  ASSERT_TRUE(whole) << whole.error().front().to_string();
  EXPECT_GT((*whole)[cost::Stage::Vhost].per_skb, Picos{});
  text.erase(text.find("    vhost:"));
  const auto profile = decode_cost_profile(tree(text));
  ASSERT_TRUE(profile) << profile.error().front().to_string();
  EXPECT_EQ((*profile)[cost::Stage::Vhost], cost::StageCost{});
  EXPECT_EQ((*profile)[cost::Stage::Segment], (*whole)[cost::Stage::Segment]);
}

TEST(CostProfile, KernelScalesAllCostsExceptThosePerByte) {
  CostProfileFile file{.kernel = "5.14", .kernels = {{"6.8", 2}}};
  file.costs[cost::Stage::SocketSend] = {nanoseconds(100), nanoseconds(10), nanoseconds(1)};
  EXPECT_EQ(costs_under(file, "5.14"), file.costs);
  const auto slower = costs_under(file, "6.8");
  ASSERT_TRUE(slower);
  EXPECT_EQ((*slower)[cost::Stage::SocketSend],
            (cost::StageCost{nanoseconds(200), nanoseconds(20), nanoseconds(1)}));
  EXPECT_FALSE(costs_under(file, "6.1"));
}

TEST(CostProfile, AMissingStageAndACostWithoutSourceAreErrors) {
  const auto profile = decode_cost_profile(tree(R"(apiVersion: overlane.dev/v1alpha1
kind: CostProfile
metadata: {name: p}
spec:
  description: d
  stages:
    veth: {perSkbNanoseconds: -1}
)"));
  ASSERT_FALSE(profile);
  std::string all;
  for (const Finding& finding : profile.error())
    all += finding.to_string() + "\n";
  EXPECT_THAT(all, HasSubstr("needs the key socket-send"));
  EXPECT_THAT(all, HasSubstr("file.yaml:7:31: error: p: perSkbNanoseconds is -1 ns"));
  EXPECT_THAT(all, HasSubstr("needs the key source"));
}

TEST(CostProfile, ReadsCostsOfIpv6WhereTheyDiffer) {
  const auto with = [](const std::string& ipv6) {
    std::string text =
        "apiVersion: overlane.dev/v1alpha1\nkind: CostProfile\nmetadata: {name: p}\nspec:\n"
        "  description: d\n  stages:\n";
    for (const cost::StageFacts& facts : cost::kStages)
      text += fmt::format("    {}: {{source: s}}\n", facts.name);
    return decode_cost_profile(tree(text + ipv6));
  };
  const auto same = with("");
  ASSERT_TRUE(same) << same.error().front().to_string();
  EXPECT_FALSE(same->fib_ipv6 || same->netfilter_ipv6);
  const auto other = with("  ipv6:\n    fib: {perSkbNanoseconds: 210, source: s}\n");
  ASSERT_TRUE(other) << other.error().front().to_string();
  EXPECT_EQ(other->of(cost::Stage::Fib, Family::Ipv6).per_skb, nanoseconds(210));
  EXPECT_EQ(other->of(cost::Stage::Fib, Family::Ipv4).per_skb, Picos{});
  EXPECT_FALSE(with("  ipv6: {veth: {source: s}}\n")) << "there the families share their code";
  EXPECT_FALSE(with("  ipv6: {fib: {perSkbNanoseconds: 210}}\n")) << "no source";
}

}  // namespace files_test
}  // namespace overlane::spec
