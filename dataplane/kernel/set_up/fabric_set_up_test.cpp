#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/experiment/cluster.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::kernel {
namespace fabric_set_up_test {

using node::testing::Cluster;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Cluster routed() {
  return make_cluster({.encapsulation = Encapsulation::None});
}

FabricSetUp made(const Cluster& cluster) {
  return make_cluster_experiment(cluster.nodes, cluster.fabric, {}).value().fabric;
}

TEST(FabricSetUp, BridgesASubnetAndRoutesToPodsByTheVpcsTable) {
  const FabricSetUp fabric = made(routed());
  EXPECT_THAT(
      to_string(fabric.commands),
      AllOf(HasSubstr("ip link add subnet0 address 02:04:00:00:00:00 mtu 1500 type bridge\n"),
            HasSubstr("ip address add 10.250.0.1/24 dev subnet0\n"),
            HasSubstr("ip link set n1 mtu 1500 master subnet0 up\n"),
            HasSubstr("ip neigh replace 10.250.0.5 lladdr 02:03:00:00:00:01 dev subnet0 nud "
                      "permanent\n"),
            HasSubstr("ip route add 100.96.2.0/24 via 10.250.0.5 dev subnet0 onlink\n"),
            Not(HasSubstr("rule add"))));
}

TEST(FabricSetUp, ANodeFindsItsNeighboursOnTheBridgeAndTheRouterBehindTheRest) {
  const FabricPort port = made(routed()).ports[0];
  EXPECT_EQ(port.uplink, "eth0");
  EXPECT_EQ(port.device, "n0");
  EXPECT_THAT(to_string(port.node_commands),
              AllOf(HasSubstr("ip link set eth0 address 02:03:00:00:00:00\n"),
                    HasSubstr("ip neigh replace 10.250.0.5 lladdr 02:03:00:00:00:01 dev eth0"),
                    HasSubstr("ip neigh replace 10.250.0.1 lladdr 02:04:00:00:00:00 dev eth0")));
}

TEST(FabricSetUp, WhereTheDestinationAloneDecidesEveryNodeHasALinkToTheRouter) {
  Cluster cluster = routed();
  cluster.fabric.honours_next_hop = false;
  cluster.fabric.dropped_protocols = {4};
  const FabricSetUp fabric = made(cluster);
  EXPECT_THAT(to_string(fabric.commands),
              AllOf(HasSubstr("ip route add 10.250.0.5/32 dev n1\n"),
                    HasSubstr("ip route add 100.96.2.0/24 via 10.250.0.5 dev n1 onlink\n"),
                    HasSubstr("-A FORWARD -p 4 -j DROP\n"), Not(HasSubstr("bridge"))));
  EXPECT_THAT(to_string(fabric.ports[0].node_commands),
              HasSubstr("ip neigh replace 10.250.0.5 lladdr 02:04:00:00:00:00 dev eth0"));
}

TEST(FabricSetUp, ANodeAsksForNextHopsThatNobodyAnswersFor) {
  Cluster cluster = make_cluster({.encapsulation = Encapsulation::None, .subnets = 2});
  EXPECT_THAT(to_string(made(cluster).ports[0].node_commands),
              AllOf(HasSubstr("ip link set eth0 arp off\n"),
                    HasSubstr("ip neigh replace 10.250.1.5 lladdr 02:04:00:00:00:00 dev eth0")));
  cluster.fabric.link_layer_answers = node::LinkLayerAnswers::WithinSubnet;
  const FabricSetUp fabric = made(cluster);
  EXPECT_THAT(to_string(fabric.commands), HasSubstr("ip link set subnet0 arp on up\n"));
  EXPECT_THAT(to_string(fabric.ports[0].node_commands),
              AllOf(HasSubstr("ip link set eth0 arp on\n"), Not(HasSubstr("10.250.1.5")),
                    HasSubstr("ip neigh replace 10.250.0.1 lladdr 02:04:00:00:00:00 dev eth0")));
}

TEST(FabricSetUp, SeveralRouteTablesAreRulesWithoutIpv6AndRefusedWithIt) {
  Cluster cluster = routed();
  cluster.fabric.route_tables.push_back(cluster.fabric.route_tables[0]);
  EXPECT_THAT(make_cluster_experiment(cluster.nodes, cluster.fabric, {}).error(),
              HasSubstr("several route tables with IPv6"));
  for (node::Instance& instance : cluster.fabric.instances)
    std::erase_if(instance.addresses, [](const IpAddress& address) { return !address.is_ipv4(); });
  const FabricSetUp fabric = fabric_set_up(cluster.fabric, {}).value();
  EXPECT_THAT(to_string(fabric.commands), HasSubstr("ip rule add iif subnet0 lookup 1000\n"));
}

TEST(FabricSetUp, SaysWhatItLeavesToTheModel) {
  node::FabricState fabric = routed().fabric;
  EXPECT_THAT(left_to_the_model(without_what_is_left(fabric)), ElementsAre());
  fabric.instances[0].groups = {0};
  fabric.instances[0].source_destination_check = true;
  fabric.dropped_protocols = {4};
  EXPECT_THAT(left_to_the_model(fabric),
              ElementsAre("security groups and firewalls", "source/destination checks",
                          "dropped protocols"));
  fabric.honours_next_hop = false;
  EXPECT_EQ(without_what_is_left(fabric).dropped_protocols, std::vector<std::uint8_t>{4});
}

}  // namespace fabric_set_up_test
}  // namespace overlane::kernel
