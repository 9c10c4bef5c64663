#include <functional>

#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace fabric_filter_test {

using node::FabricRule;
using node::FabricState;
using node::RuleSource;
using node::SecurityGroup;
using node::testing::Cluster;
using node::testing::ClusterShape;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::udp;
using testing::walk;

const FabricRule kInterfaces{.source = RuleSource::GroupInterfaces};
const FabricRule kAddresses{.source = RuleSource::GroupAddresses};
const FabricRule kFixedAddresses{.source = RuleSource::GroupFixedAddresses};
const FabricRule kNodePorts{
    .networks = {net("0.0.0.0/0")}, .protocols = {kTcp, kUdp}, .ports = {{30'000, 32'767}}};
const FabricRule kPods{.networks = {net("100.96.0.0/11")}};

/// Three routed nodes; node-1 and node-2 are in the group "nodes" with one rule, node-3 in none.
FabricState vpc(const FabricRule& rule) {
  FabricState fabric = make_cluster({.nodes = 3}).fabric;
  fabric.groups = {{.name = "nodes", .rules = {rule}}};
  fabric.instances[0].groups = {0};
  fabric.instances[1].groups = {0};
  return fabric;
}

Packet between(IpAddress source, IpAddress destination, std::uint8_t protocol = kUdp,
               std::uint16_t destination_port = 53) {
  Packet packet = udp(source, destination);
  packet.inner.protocol = protocol;
  packet.destination_port = destination_port;
  return packet;
}
Packet later_fragment(Packet packet) {
  packet.inner.fragment_offset = 800;
  packet.source_port = packet.destination_port = 0;
  return packet;
}

TEST(FabricFilter, EachKindOfRuleAdmitsItsPackets) {
  const IpAddress node_1 = ip("10.250.0.4");
  const IpAddress node_2 = ip("10.250.0.5");
  const IpAddress node_3 = ip("10.250.0.6");
  const FabricRule tcp_and_icmp{.networks = {net("10.250.0.0/16")}, .protocols = {kTcp, kIcmp}};
  struct Row {
    const char* what;
    FabricRule rule;
    std::uint32_t from;
    std::uint32_t to;
    Packet packet;
    bool admitted;
  };
  const Row rows[] = {
      {"an interface of the group", kInterfaces, 0, 1, between(node_1, node_2), true},
      {"an interface of the group with a pod's address", kInterfaces, 0, 1, between(pod(0), pod(1)),
       true},
      {"an interface outside the group", kInterfaces, 2, 1, between(node_3, node_2), false},
      {"an interface outside, with an address of the group", kInterfaces, 2, 1,
       between(node_1, node_2), false},
      {"an address of the group", kAddresses, 0, 1, between(node_1, node_2), true},
      {"an address of the group from elsewhere", kAddresses, 2, 1, between(node_1, node_2), true},
      {"an allowed pair of the group", kAddresses, 0, 1, between(pod(0), node_2), true},
      {"a pod's address that is no pair", kAddresses, 1, 0, between(pod(1), node_1), false},
      {"an address outside the group", kAddresses, 2, 1, between(node_3, node_2), false},
      {"a fixed address", kFixedAddresses, 0, 1, between(node_1, node_2), true},
      {"an allowed pair is none", kFixedAddresses, 0, 1, between(pod(0), pod(1)), false},
      {"a source network", kPods, 2, 1, between(pod(2), pod(1)), true},
      {"a source outside the network", kPods, 0, 1, between(node_1, node_2), false},
      {"a protocol of the rule", tcp_and_icmp, 0, 1, between(node_1, node_2, kTcp), true},
      {"another protocol", tcp_and_icmp, 0, 1, between(node_1, node_2, kUdp), false},
      {"the first node port", kNodePorts, 2, 1, between(node_3, node_2, kTcp, 30'000), true},
      {"beyond the node ports", kNodePorts, 2, 1, between(node_3, node_2, kTcp, 32'768), false},
      {"a later fragment to a node port", kNodePorts, 2, 1,
       later_fragment(between(node_3, node_2, kUdp, 30'000)), false},
      {"a later fragment where ports do not matter", kInterfaces, 0, 1,
       later_fragment(between(node_1, node_2)), true},
      {"to an instance without groups", kPods, 0, 2, between(node_1, node_3), true},
  };
  for (const Row& row : rows) {
    FabricState fabric = vpc(row.rule);
    fabric.instances[0].allowed = {net("100.96.1.0/24")};
    EXPECT_EQ(admits(fabric, row.from, row.to, row.packet), row.admitted) << row.what;
  }
}

TEST(FabricFilter, AnswersToWhatWasAdmittedPass) {
  const FabricState fabric = vpc(kNodePorts);
  const IpAddress node_1 = ip("10.250.0.4");
  const IpAddress node_2 = ip("10.250.0.5");
  const Packet request = between(node_1, node_2, kTcp, 30'001);
  Packet answer = between(node_2, node_1, kTcp, request.source_port);
  answer.source_port = request.destination_port;
  Packet error = between(node_2, node_1, kIcmp, 0);
  error.source_port = 0;
  error.icmp = IcmpError{.type = 3,
                         .quoted_source = node_1,
                         .quoted_destination = node_2,
                         .quoted_protocol = kTcp,
                         .quoted_source_port = request.source_port,
                         .quoted_destination_port = request.destination_port};

  node::FabricRuntime runtime;
  for (const Packet& packet : {answer, error})
    EXPECT_FALSE(admits(fabric, 1, 0, packet, &runtime, {})) << "nothing was asked yet";
  EXPECT_TRUE(admits(fabric, 0, 1, request, &runtime, {}));
  for (const Packet& packet : {answer, error}) {
    EXPECT_TRUE(admits(fabric, 1, 0, packet, &runtime, seconds(1)));
    EXPECT_FALSE(admits(fabric, 1, 0, packet, &runtime, node::kAnswerTimeout));
    EXPECT_FALSE(admits(fabric, 1, 0, packet)) << "without a memory";
  }
  answer.destination_port = 1;
  EXPECT_FALSE(admits(fabric, 1, 0, answer, &runtime, seconds(1))) << "of another flow";
}

TEST(FabricFilter, RemembersOnlyWhatNoRuleLetsBack) {
  node::FabricRuntime runtime;
  EXPECT_TRUE(admits(vpc(kInterfaces), 0, 1, between(pod(0), pod(1)), &runtime, {}));
  EXPECT_EQ(runtime, node::FabricRuntime{});
}

TEST(FabricFilter, SeesTheOuterHeaderOfATunnelPacket) {
  FabricState fabric = vpc({.networks = {net("10.250.0.0/16")}, .protocols = {kUdp}});
  Packet packet = udp(pod(0), pod(1));
  EXPECT_FALSE(admits(fabric, 0, 1, packet));
  packet.encapsulation = Encapsulation::Vxlan;
  packet.outer = {.source = ip("10.250.0.4"), .destination = ip("10.250.0.5"), .protocol = kUdp};
  packet.outer_destination_port = 4789;
  EXPECT_TRUE(admits(fabric, 0, 1, packet));
  fabric.groups[0].rules[0].ports = {{53, 53}};
  EXPECT_FALSE(admits(fabric, 0, 1, packet)) << "the port of the outer header counts";
}

/// Returns the ordered pairs of four nodes between whose pods a packet is not delivered, as "12 21
/// …".
std::string broken(const Cluster& cluster) {
  std::string pairs;
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      if (from == to || walk(cluster, from, udp(pod(from), pod(to))).delivered()) continue;
      pairs += std::to_string(from + 1) + std::to_string(to + 1) + ' ';
    }
  }
  return pairs;
}

constexpr const char* kNone = "";
constexpr const char* kAll = "12 13 14 21 23 24 31 32 34 41 42 43 ";
constexpr const char* kFromNode4 = "41 42 43 ";

/// A change to a provider's filters around a shoot, and the pairs of nodes that it disconnects in
/// each mode.
TEST(FabricFilter, RemovingOneRuleCutsOffExactlyTheFlowsThatNeedIt) {
  const FabricRule gcp{.networks = {net("100.96.0.0/11"), net("10.250.0.0/16")},
                       .protocols = {kIcmp, kIpip, kTcp, kUdp}};
  const FabricRule vpc_range{.networks = {net("10.250.0.0/16")}, .protocols = {kTcp, kUdp}};
  const auto nothing = [](FabricState&) {};
  const auto rule = [](std::size_t number) {
    return [=](FabricState& fabric) {
      node::FabricEditor(fabric).remove_rule(0, fabric.groups[0].rules.at(number));
    };
  };
  struct Row {
    const char* what;
    SecurityGroup group;
    std::function<void(FabricState&)> remove;
    const char* routed;
    const char* ipip;
    const char* vxlan;
  };
  const Row rows[] = {
      {"AWS, nothing", {"nodes", false, {kInterfaces, kNodePorts}}, nothing, kNone, kNone, kNone},
      {"AWS, the self reference",
       {"nodes", false, {kInterfaces, kNodePorts}},
       rule(0),
       kAll,
       kAll,
       kAll},
      {"AWS, the node ports",
       {"nodes", false, {kInterfaces, kNodePorts}},
       rule(1),
       kNone,
       kNone,
       kNone},
      {"GCP, nothing", {"internal", true, {gcp}}, nothing, kNone, kNone, kNone},
      {"GCP, the pod range",
       {"internal", true, {gcp}},
       [](FabricState& fabric) {
         fabric.groups[0].rules[0].networks.erase(fabric.groups[0].rules[0].networks.begin());
       },
       kAll,
       kNone,
       kNone},
      {"GCP, the node range",
       {"internal", true, {gcp}},
       [](FabricState& fabric) { fabric.groups[0].rules[0].networks.pop_back(); },
       kNone,
       kAll,
       kAll},
      {"GCP, protocol 4",
       {"internal", true, {gcp}},
       [](FabricState& fabric) { std::erase(fabric.groups[0].rules[0].protocols, kIpip); },
       kNone,
       kAll,
       kNone},
      {"Neutron with Open vSwitch, nothing",
       {"nodes", false, {kAddresses}},
       nothing,
       kNone,
       kNone,
       kNone},
      {"Neutron with Open vSwitch, node-4's pair",
       {"nodes", false, {kAddresses}},
       [](FabricState& fabric) { fabric.instances[3].allowed = {}; },
       kFromNode4,
       kNone,
       kNone},
      {"Neutron with OVN, nothing",
       {"nodes", false, {kFixedAddresses}},
       nothing,
       kAll,
       kNone,
       kNone},
      {"Neutron, the remote group",
       {"nodes", false, {kAddresses, kNodePorts}},
       rule(0),
       kAll,
       kAll,
       kAll},
      {"Alibaba Cloud, the pod range",
       {"nodes", false, {kPods, vpc_range}},
       rule(0),
       kAll,
       kAll,
       kNone},
      {"Alibaba Cloud, the VPC range",
       {"nodes", false, {kPods, vpc_range}},
       rule(1),
       kNone,
       kAll,
       kAll},
  };
  for (const Row& row : rows) {
    const auto with = [&](Encapsulation encapsulation) {
      Cluster cluster = make_cluster({.encapsulation = encapsulation, .nodes = 4});
      cluster.fabric.groups = {row.group};
      for (std::uint32_t i = 0; i < 4; ++i) {
        node::Instance& instance = cluster.fabric.instances[i];
        instance.groups = {0};
        instance.allowed = {node::testing::pod_cidr(i)};
      }
      row.remove(cluster.fabric);
      return broken(cluster);
    };
    EXPECT_EQ(with(Encapsulation::None), row.routed) << row.what;
    EXPECT_EQ(with(Encapsulation::Ipip), row.ipip) << row.what;
    EXPECT_EQ(with(Encapsulation::Vxlan), row.vxlan) << row.what;
  }
}

}  // namespace fabric_filter_test
}  // namespace overlane::forward
