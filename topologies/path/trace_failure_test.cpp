#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "topologies/path/needed.h"
#include "topologies/path/testing/clusters.h"
#include "topologies/path/testing/stories.h"
#include "topologies/path/trace.h"

namespace overlane::path {
namespace trace_failure_test {

using effective::EffectiveDataplane;
using effective::Provider;
using testing::Cluster;
using testing::explain;
using ::testing::HasSubstr;
using testing::on;

const Hop& failed(const Trace& trace) {
  return trace.hops.at(trace.failure.value().hop);
}

struct Counterfactual {
  const char* what;
  EffectiveDataplane shoot;
  const char* entry;
  Gate gate;
  Drop drop;
  const char* place;   ///< Where it was dropped.
  const char* needed;  ///< What is missing, and where.
};

TEST(Trace, WithoutOneEntryItsGateIsTheFirstThatFails) {
  using namespace graph::testing;
  const auto aws = [](EffectiveDataplane shoot) { return on(Provider::Aws, std::move(shoot)); };
  const auto openstack = [](EffectiveDataplane shoot) {
    return on(Provider::OpenStack, std::move(shoot));
  };
  const Counterfactual rows[] = {
      {"the VPC's route to the peer", aws(routed_shoot()),
       "table routes-a: 100.96.1.0/24 -> node-2 (route controller)", Gate::Route,
       Drop::FabricNoRoute, "vpc",
       "vpc: table routes-a: 100.96.1.0/24 -> node-2 (route controller)"},
      {"the route through tunl0", aws(ipip_shoot()),
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto bird onlink", Gate::Route,
       Drop::FabricNoRoute, "vpc",
       "node-1: 100.96.1.0/24 via 10.250.128.4 dev tunl0 proto bird onlink"},
      {"the default route", aws(routed_shoot()), "default", Gate::Route, Drop::NoRoute, "node-1",
       "node-1: "},
      {"forwarding", aws(routed_shoot()), "net.ipv4.ip_forward = 1", Gate::Route, Drop::NotLocal,
       "node-1", "node-1: net.ipv4.ip_forward = 1"},
      {"the receiver's route to its pod", aws(ipip_shoot()), "node-2: 100.96.1.2", Gate::Route,
       Drop::BlackholeRoute, "node-2", "node-2: 100.96.1.2 dev cali64600102"},
      {"the receiver's route to its pod, without a black hole", aws(routed_shoot()),
       "node-2: 100.96.1.2", Gate::Route, Drop::TtlExpired, "node-2",
       "node-2: 100.96.1.2 dev cali64600102"},
      {"tunl0 of the sender", aws(ipip_shoot()), "tunl0", Gate::Encapsulation, Drop::FabricNoRoute,
       "vpc", "node-1: "},
      {"tunl0 of the receiver", aws(ipip_shoot()), "node-2: tunl0", Gate::Encapsulation,
       Drop::TunnelUnknown, "node-2", "node-2: "},
      {"vxlan.calico of the sender", aws(vxlan_shoot()), "vxlan.calico", Gate::Encapsulation,
       Drop::FabricNoRoute, "vpc", "node-1: "},
      {"the VTEP's neighbour entry", aws(vxlan_shoot()),
       "100.96.1.1 dev vxlan.calico lladdr 66:00:00:00:00:01 PERMANENT", Gate::Encapsulation,
       Drop::NoNeighbour, "node-1", "node-1: "},
      {"cilium_geneve of the receiver", aws(cilium_tunnel_shoot(effective::Encapsulation::Geneve)),
       "node-2: cilium_geneve", Gate::Encapsulation, Drop::TunnelUnknown, "node-2", "node-2: "},
      {"the sender's own route", aws(routed_shoot()), "100.96.0.2", Gate::AntiSpoofing,
       Drop::SourceSpoofed, "node-1", "node-1: 100.96.0.2 dev cali64600002"},
      {"the allowed pair of the sender's port", openstack(routed_shoot()),
       "instance node-1 allows 100.96.0.0/11", Gate::AntiSpoofing, Drop::FabricSourceCheck, "vpc",
       "vpc: "},
      {"the allowed pair of the receiver's port", openstack(routed_shoot()),
       "instance node-2 allows 100.96.0.0/11", Gate::AntiSpoofing, Drop::FabricDestinationCheck,
       "vpc", "vpc: "},
      {"the security group's own rule", aws(ipip_shoot()),
       "group shop-nodes: allow from interfaces of the group", Gate::Filter,
       Drop::FabricPacketFilter, "vpc", "vpc: "},
      {"the sender among the receiver's members", aws(ipip_shoot()),
       "node-2: add members 10.250.0.4", Gate::Filter, Drop::TunnelSource, "node-2", "node-2: "},
      {"what the receiver accepts tunnel packets by", aws(vxlan_shoot()),
       "node-2: -A cali-INPUT -p udp --dport 4789 -m set --match-set {members} src -m addrtype "
       "--dst-type LOCAL -j ACCEPT",
       Gate::Filter, Drop::TunnelSource, "node-2", "node-2: "},
  };
  for (const Counterfactual& row : rows) {
    Cluster cluster(row.shoot);
    EXPECT_TRUE(cluster({.to = "node-2/pod-0"}).delivered) << row.what;
    const auto asked = ask(cluster.states, cluster.shoot, {.to = "node-2/pod-0"});
    cluster.without(row.entry);
    const Trace after = trace(cluster.states, asked->request);
    ASSERT_TRUE(after.failure) << row.what << '\n' << explain(after);
    EXPECT_EQ(after.failure->drop, row.drop) << row.what << '\n' << explain(after);
    EXPECT_EQ(failed(after).place, row.place) << row.what;
    const Needed lacking = needed(cluster.states, *after.failure);
    EXPECT_EQ(to_string(lacking.gate), to_string(row.gate)) << row.what;
    EXPECT_THAT(lacking.place + ": " + lacking.entry, ::testing::StartsWith(row.needed))
        << row.what;
    EXPECT_FALSE(lacking.what.empty()) << row.what;
  }
}

/// On providers that answer ARP only within the subnet.
TEST(Trace, AnOnlinkNextHopInAnotherSubnetIsLostWhereNobodyAnswersForIt) {
  for (const bool answered : {false, true}) {
    Cluster cluster(answered ? on(Provider::Gcp, graph::testing::routed_shoot())
                             : on(Provider::Aws, graph::testing::routed_shoot()));
    const node::Member peer = cluster.states.nodes[1].member();
    node::NodeEditor(cluster.states.nodes[0])
        .set_route(peer.ipv4->pod_cidr, {.device = "eth0", .via = peer.ipv4->node, .onlink = true});
    const Trace lost = cluster({.to = "node-2/pod-0"});
    EXPECT_EQ(lost.delivered, answered);
    if (answered) continue;
    EXPECT_EQ(lost.failure.value().drop, Drop::NoNeighbour);
    EXPECT_EQ(failed(lost).place, "vpc");
    EXPECT_EQ(failed(lost).state_entry,
              "answers link-layer requests for addresses of the subnet only");
    const Needed lacking = needed(cluster.states, *lost.failure);
    EXPECT_EQ(to_string(lacking.gate), "route");
    EXPECT_EQ(lacking.place, "node-1");
    EXPECT_THAT(lacking.what, ::testing::HasSubstr("no machine there answers for 10.250.128.4"));
  }
}

TEST(Trace, AForbiddenProtocolIsAFilter) {
  const Trace azure = Cluster(on(Provider::Azure, graph::testing::ipip_shoot()))({});
  EXPECT_EQ(azure.failure.value().drop, Drop::FabricProtocolFilter);
  EXPECT_EQ(failed(azure).state_entry, "drops protocol 4");
}

TEST(Trace, WhatIsTooLargeShowsSizeLimitAndDevice) {
  auto wide = graph::testing::ipip_shoot();
  wide.dataplane.pod_mtu = 1500;  // vethMTU: "1500"
  auto narrow_vpc = Cluster(on(Provider::Aws, graph::testing::routed_shoot()));
  narrow_vpc.states.fabric.mtu = 1400;
  struct Row {
    Trace trace;
    Drop drop;
    const char* place;
    const char* because;
    const char* entry;
    std::size_t arrived;  ///< ICMP errors.
  };
  const Row rows[] = {
      {Cluster(on(Provider::Aws, graph::testing::ipip_shoot()))({.size = 1481}), Drop::MtuExceeded,
       "node-1/pod-0", "1481 bytes do not fit the pod's MTU 1480",
       "cali64600002: veth mtu 1480 state UP", 0},
      {Cluster(on(Provider::Aws, wide))({}), Drop::MtuExceeded, "node-1",
       "1500 bytes do not fit the MTU 1480 of tunl0", "tunl0: ipip mtu 1480 state UP", 1},
      {Cluster(on(Provider::Aws, graph::testing::by_felix(wide)))({}), Drop::MtuExceeded, "node-1",
       "1500 bytes do not fit the MTU 1480 of the route to 100.96.1.0/24 through tunl0",
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto 80 mtu 1480 onlink", 1},
      {narrow_vpc({}), Drop::FabricMtuExceeded, "vpc", "1500 bytes", "vpc vpc mtu 1400", 1},
  };
  for (const Row& row : rows) {
    ASSERT_TRUE(row.trace.failure) << row.because;
    EXPECT_EQ(row.trace.failure->drop, row.drop) << explain(row.trace);
    EXPECT_EQ(failed(row.trace).place, row.place);
    EXPECT_THAT(failed(row.trace).because, HasSubstr(row.because));
    EXPECT_THAT(failed(row.trace).state_entry, HasSubstr(row.entry));
    ASSERT_EQ(row.trace.arrived.size(), row.arrived) << explain(row.trace);
    if (row.arrived == 0) continue;
    EXPECT_EQ(row.trace.arrived[0].place, "node-1/pod-0") << "the sender hears of it";
    EXPECT_TRUE(row.trace.is_of_error(row.trace.arrived[0].packet));
  }
}

TEST(Trace, AHopLimitThatRunsOutOnTheRightWayIsToldFromALoop) {
  // A router between the subnets of two zones, as Neutron's.
  Cluster routers(on(Provider::Aws, graph::testing::routed_shoot()));
  routers.states.fabric.decrementing_hops = 1;
  const struct {
    std::uint8_t ttl;
    Drop drop;
  } rows[] = {{1, Drop::TtlExpired}, {2, Drop::FabricTtlExpired}};
  for (const auto& row : rows) {
    const Trace trace = routers({.to = "node-2/pod-0", .ttl = row.ttl});
    ASSERT_TRUE(trace.failure) << explain(trace);
    EXPECT_EQ(trace.failure->drop, row.drop);
    EXPECT_EQ(needed(routers.states, *trace.failure).what, "a larger hop limit (TTL)");
  }
}

TEST(Trace, APodsAddressIsUnknownOutside) {
  const Cluster bare(on(Provider::Aws, graph::testing::routed_shoot()));
  Cluster unmasked(graph::testing::routed_shoot());
  EXPECT_TRUE(bare({.to = "internet"}).delivered);
  const Trace trace = unmasked({.to = "internet"});
  EXPECT_EQ(trace.failure.value().drop, Drop::FabricNoRoute);
  EXPECT_THAT(needed(unmasked.states, *trace.failure).what, HasSubstr("masquerades 100.96.0.2"));
}

TEST(Trace, AnAddressThatNobodyHasIsMissedWhereItShouldBe) {
  const Cluster ipip(on(Provider::Aws, graph::testing::ipip_shoot()));
  const struct {
    const char* to;
    const char* needed;
  } rows[] = {{"100.96.1.77", "node-2: a pod with the address 100.96.1.77"},
              {"100.120.0.1", "vpc: a route of table routes-a that leads to 100.120.0.1"},
              {"10.250.0.99", "vpc: a machine with the address 10.250.0.99"},
              {"192.168.7.7", "vpc: a route of table routes-a that leads to 192.168.7.7"}};
  for (const auto& row : rows) {
    const Trace trace = ipip({.to = row.to});
    ASSERT_TRUE(trace.failure) << row.to;
    const Needed lacking = needed(ipip.states, *trace.failure);
    EXPECT_EQ(lacking.place + ": " + lacking.what, row.needed);
    EXPECT_EQ(lacking.gate, Gate::Route);
  }
}

}  // namespace trace_failure_test
}  // namespace overlane::path
