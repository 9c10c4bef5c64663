#include <functional>

#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace fabric_test {

using node::FabricState;
using node::FabricTarget;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::udp;
using testing::without_fragmenting;

/// A routed VPC with two subnets: node-1 and node-3 in the first, node-2 in the second.
FabricState vpc() {
  return make_cluster({.nodes = 3, .subnets = 2}).fabric;
}

struct Row {
  const char* what;
  std::function<void(FabricState&)> change;
  Packet packet;
  IpAddress next_hop;
  std::optional<Drop> drop;
  std::uint32_t instance = 0;
  std::optional<int> icmp_type = {};
};

TEST(Fabric, TakesPacketsWhereTheRouteTableSays) {
  const auto kUntouched = [](FabricState&) {};
  const IpAddress gateway = ip("10.250.0.1");
  const IpAddress node_1 = ip("10.250.0.4");
  const IpAddress node_2 = ip("10.250.1.5");
  const IpAddress node_3 = ip("10.250.0.6");
  const Packet to_pod = udp(pod(0), pod(1));
  const Packet to_node = udp(node_1, node_2);
  const auto guard = [](std::size_t instance, std::vector<IpPrefix> allowed) {
    return [=](FabricState& f) {
      f.instances[instance].source_destination_check = true;
      f.instances[instance].allowed = allowed;
    };
  };
  const auto within_subnet = [](FabricState& f) {
    f.link_layer_answers = node::LinkLayerAnswers::WithinSubnet;
  };
  const auto target = [](FabricTarget value) {
    return [=](FabricState& f) { f.route_tables[0].routes.set(net("100.96.2.0/24"), {value}); };
  };
  const auto egress = [](FabricState& f) { f.egress_mtu = 1400; };
  const IpAddress server = ip("203.0.113.1");
  const Row rows[] = {
      {"a pod range's route leads to its instance", kUntouched, to_pod, gateway, {}, 1},
      {"an instance's address is local", kUntouched, to_node, gateway, {}, 1},
      {"a local address that nobody has", kUntouched, udp(node_1, ip("10.250.0.99")), gateway,
       Drop::FabricNoRoute},
      {"a prefix at an interface is local",
       [](FabricState& f) {
         node::FabricEditor(f).remove_route(0, net("100.96.2.0/24"));
         f.route_tables[0].routes.set(net("100.96.0.0/16"), {FabricTarget::Local});
         f.instances[1].prefixes = {net("100.96.2.0/24")};
       },
       to_pod,
       gateway,
       {},
       1},
      {"a prefix at an interface passes its guard",
       [](FabricState& f) {
         for (node::Instance& instance : f.instances)
           instance.source_destination_check = true;
         f.instances[0].prefixes = {net("100.96.1.0/24")};
         f.instances[1].prefixes = {net("100.96.2.0/24")};
       },
       to_pod,
       gateway,
       {},
       1},
      {"the pod range's route is gone",
       [](FabricState& f) { node::FabricEditor(f).remove_route(0, net("100.96.2.0/24")); }, to_pod,
       gateway, Drop::FabricNoRoute},
      {"the instance behind the route is gone", target(FabricTarget::Blackhole), to_pod, gateway,
       Drop::FabricBlackhole},
      {"a route to an instance of another owner attracts the packet", target(FabricTarget::Foreign),
       to_pod, gateway, Drop::FabricForeignInstance},
      {"no route at all",
       [](FabricState& f) {
         node::FabricEditor(f).remove_route(0, net("100.96.2.0/24"));
         node::FabricEditor(f).remove_route(0, net("0.0.0.0/0"));
       },
       to_pod, gateway, Drop::FabricNoRoute},
      {"a neighbour as next hop gets the packet", kUntouched, to_pod, node_3, {}, 2},
      {"unless the provider looks at the destination only",
       [](FabricState& f) { f.honours_next_hop = false; },
       to_pod,
       node_3,
       {},
       1},
      {"an instance of another subnet is no neighbour", target(FabricTarget::Blackhole), to_pod,
       node_2, Drop::FabricBlackhole},
      {"a next hop in another subnet gets no answer", within_subnet, to_pod, node_2,
       Drop::NoNeighbour},
      {"nor does one that is in none", within_subnet, to_pod, ip("100.96.2.10"), Drop::NoNeighbour},
      {"nor where the destination alone decides",
       [](FabricState& f) {
         f.link_layer_answers = node::LinkLayerAnswers::WithinSubnet;
         f.honours_next_hop = false;
       },
       to_pod, node_2, Drop::NoNeighbour},
      {"where all addresses are answered for, the route table decides",
       kUntouched,
       to_pod,
       node_2,
       {},
       1},
      {"the subnet's router answers", within_subnet, to_pod, gateway, {}, 1},
      {"so does a neighbour", within_subnet, to_pod, node_3, {}, 2},
      {"and a router by its link-local address", within_subnet, to_pod, ip("fe80::1"), {}, 1},
      {"source check on, own address", guard(0, {}), to_node, gateway, {}, 1},
      {"source check on, a pod's address", guard(0, {}), to_pod, gateway, Drop::FabricSourceCheck},
      {"source check on, a pod's address that is allowed",
       guard(0, {net("100.96.1.0/24")}),
       to_pod,
       gateway,
       {},
       1},
      {"destination check on, a pod's address", guard(1, {}), to_pod, gateway,
       Drop::FabricDestinationCheck},
      {"destination check on, a pod's address that is allowed",
       guard(1, {net("100.96.2.0/24")}),
       to_pod,
       gateway,
       {},
       1},
      {"a protocol that the fabric does not carry",
       [](FabricState& f) {
         f.dropped_protocols = {4, 17};
       },
       to_pod, gateway, Drop::FabricProtocolFilter},
      {"a security group that does not let it in",
       [](FabricState& f) { f.groups = {{.name = "nodes", .every_instance = true}}; }, to_pod,
       gateway, Drop::FabricPacketFilter},
      {"a packet that just fits", kUntouched, udp(pod(0), pod(1), 1500), gateway, {}, 1},
      {"a packet too large, without DF", kUntouched, udp(pod(0), pod(1), 1501), gateway,
       Drop::FabricMtuExceeded},
      {"a packet too large, with DF, is answered", kUntouched,
       without_fragmenting(udp(pod(0), pod(1), 1501)), gateway, Drop::FabricMtuExceeded, 0, 3},
      {"a packet out of the VPC that the way out carries goes on, to nobody here", egress,
       without_fragmenting(udp(node_1, server, 1400)), gateway, Drop::FabricNoRoute},
      {"a larger one with DF is answered", egress, without_fragmenting(udp(node_1, server, 1401)),
       gateway, Drop::FabricMtuExceeded, 0, 3},
      {"a larger one without DF leaves in fragments", egress, udp(node_1, server, 1401), gateway,
       Drop::FabricNoRoute},
      {"a way out as large as the links lets it go", kUntouched,
       without_fragmenting(udp(node_1, server, 1401)), gateway, Drop::FabricNoRoute},
      {"a pod's own address is not answered out there, whatever its size", egress,
       without_fragmenting(udp(pod(0), server, 1401)), gateway, Drop::FabricNoRoute},
      {"nor is a private address reached", egress,
       without_fragmenting(udp(node_1, ip("192.168.0.1"), 1401)), gateway, Drop::FabricNoRoute},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    FabricState fabric = vpc();
    row.change(fabric);
    FabricOutcome outcome;
    std::vector<Step> steps;
    forward(fabric, row.packet, 0, row.next_hop, outcome, &steps);
    EXPECT_EQ(outcome.drop, row.drop);
    EXPECT_EQ(outcome.instance, row.instance);
    EXPECT_EQ(outcome.packet, row.packet);
    EXPECT_EQ(outcome.reply.has_value(), row.icmp_type.has_value());
    if (row.icmp_type) {
      EXPECT_EQ(outcome.reply->icmp->type, *row.icmp_type);
    }
    EXPECT_EQ(steps.back().decision, row.drop ? "drop" : "deliver");
  }
}

TEST(Fabric, TheRouterAnswersWithItsMtuFromTheSubnetsFirstAddress) {
  FabricOutcome outcome;
  forward(vpc(), without_fragmenting(udp(pod(0), pod(1), 1600)), 0, ip("10.250.0.1"), outcome);
  ASSERT_TRUE(outcome.reply);
  EXPECT_EQ(outcome.reply->inner.source, ip("10.250.0.1"));
  EXPECT_EQ(outcome.reply->inner.destination, pod(0));
  EXPECT_EQ(outcome.reply->icmp->next_hop_mtu, 1500);
}

TEST(Fabric, LooksAtTheOuterHeaderOfATunnelPacket) {
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Ipip});
  node::NodeRuntime runtime;
  Outcome sent;
  forward(cluster.nodes[0], runtime, udp(pod(0), pod(1)), Ingress::Pod, {}, sent);
  FabricState fabric = cluster.fabric;
  for (node::Instance& instance : fabric.instances)
    instance.source_destination_check = true;
  FabricOutcome outcome;
  forward(fabric, sent.emissions.at(0).packet, 0, sent.emissions.at(0).next_hop, outcome);
  EXPECT_FALSE(outcome.drop) << "overlays pass the source/destination check";
  fabric.dropped_protocols = {4};
  forward(fabric, sent.emissions.at(0).packet, 0, sent.emissions.at(0).next_hop, outcome);
  EXPECT_EQ(outcome.drop, Drop::FabricProtocolFilter);
}

TEST(Fabric, DropsFragmentsOutOfOrderWhereTheProviderDoes) {
  const auto fragments = [] {
    std::vector<Packet> list;
    fragment(udp(pod(0), pod(1), 4000), 1500,
             [&](const Packet& fragment) { list.push_back(fragment); });
    return list;
  }();
  ASSERT_EQ(fragments.size(), 3u);
  const auto drops = [&](const FabricState& fabric, std::vector<std::size_t> order) {
    node::FabricRuntime runtime;
    std::vector<std::optional<Drop>> result;
    for (const std::size_t i : order) {
      FabricOutcome outcome;
      forward(fabric, fragments[i], 0, ip("10.250.0.1"), outcome, nullptr, &runtime, {});
      result.push_back(outcome.drop);
    }
    return result;
  };
  using Drops = std::vector<std::optional<Drop>>;
  const auto out_of_order = Drop::FabricFragment;
  FabricState azure = vpc();
  azure.drops_disordered_fragments = true;
  EXPECT_EQ(drops(azure, {0, 1, 2}), (Drops{{}, {}, {}}));
  EXPECT_EQ(drops(azure, {2, 1, 0}), (Drops{out_of_order, out_of_order, {}}));
  EXPECT_EQ(drops(azure, {0, 2, 1}), (Drops{{}, out_of_order, {}}));
  EXPECT_EQ(drops(vpc(), {2, 1, 0}), (Drops{{}, {}, {}})) << "other providers carry them";
}

TEST(Fabric, OnlyHopsThatDecrementCostHopLimitAndOnlyBetweenSubnets) {
  FabricState fabric = vpc();
  FabricOutcome outcome;
  forward(fabric, udp(pod(0), pod(1)), 0, ip("10.250.0.1"), outcome);
  EXPECT_EQ(outcome.packet.inner.ttl, 64);
  EXPECT_EQ(outcome.hops, 0);

  fabric.decrementing_hops = 2;
  forward(fabric, udp(pod(0), pod(1)), 0, ip("10.250.0.1"), outcome);
  EXPECT_EQ(outcome.packet.inner.ttl, 62);
  EXPECT_EQ(outcome.hops, 2);
  forward(fabric, udp(pod(0), pod(2)), 0, ip("10.250.0.1"), outcome);
  EXPECT_EQ(outcome.packet.inner.ttl, 64) << "the same subnet";

  Packet packet = udp(pod(0), pod(1));
  packet.inner.ttl = 2;
  forward(fabric, packet, 0, ip("10.250.0.1"), outcome);
  EXPECT_EQ(outcome.drop, Drop::FabricTtlExpired);
  EXPECT_EQ(outcome.reply.value().icmp->type, 11);
}

}  // namespace fabric_test
}  // namespace overlane::forward
