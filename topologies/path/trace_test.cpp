#include "topologies/path/trace.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "topologies/path/needed.h"
#include "topologies/path/testing/clusters.h"

namespace overlane::path {

namespace trace_test {

using effective::Provider;
using testing::all_lines;
using testing::Cluster;
using testing::explain;
using ::testing::HasSubstr;
using testing::Mode;
using testing::modes;
using testing::on;
using testing::story;

TEST(Trace, TellsEveryModesWayToAPodInAnotherZone) {
  for (const Mode& mode : modes()) {
    const Trace trace = Cluster(mode.shoot)({.to = "node-2/pod-0"});
    EXPECT_EQ(story(trace), mode.to_pod) << mode.name;
    EXPECT_TRUE(trace.delivered) << mode.name;
  }
}

struct Target {
  const char* name;
  const char* to;
  const char* end;   ///< Where the packet is delivered.
  bool masqueraded;  ///< On its path.
};
constexpr Target kTargets[] = {
    {"a pod of another node", "node-2/pod-1", "node-2/pod-1", false},
    {"a pod of the same node", "node-1/pod-1", "node-1/pod-1", false},
    {"a pod by its address", "100.96.2.2", "node-3/pod-0", false},
    {"another node", "node-2", "node-2", false},
    {"its own node", "node-1", "node-1", false},
    {"the outside", "internet", "outside", true},
    {"an address outside and a port", "198.51.100.7:443", "outside", true},
    {"a service", "service:100.64.0.10:53", "node-2/pod-0", false},
};

/// A pod that is not masqueraded towards nodes gets no answer through Felix's WireGuard.
bool loses_nodes_answers(const Mode& mode) {
  return mode.shoot.agent == effective::NodeAgent::CalicoNode &&
         mode.shoot.dataplane.encryption == effective::Encryption::WireGuard;
}

TEST(Trace, TheAnswerOfANodeIsNoneOfItsAllowedIps) {
  for (const Mode& mode : modes()) {
    if (!loses_nodes_answers(mode)) continue;
    const Cluster cluster(mode.shoot);
    const Trace trace = cluster({.to = "node-2", .answer = true});
    EXPECT_TRUE(trace.delivered) << mode.name;
    EXPECT_FALSE(trace.succeeded()) << explain(trace);
    EXPECT_THAT(explain(trace), HasSubstr("allowed-ips")) << "node-2 is no pod of its own";
  }
}

TEST(Trace, EveryModeReachesEveryTargetAndHearsTheAnswer) {
  for (const Mode& mode : modes()) {
    const Cluster cluster(mode.shoot);
    const auto lines = all_lines(cluster.states);
    for (const Target& target : kTargets) {
      for (const std::uint8_t protocol : {forward::kTcp, forward::kUdp, forward::kIcmp}) {
        if (protocol == forward::kIcmp && target.to == std::string("service:100.64.0.10:53"))
          continue;
        if (loses_nodes_answers(mode) && target.to == std::string("node-2")) continue;
        const Trace trace = cluster({.to = target.to, .protocol = protocol, .answer = true});
        const std::string what = std::string(mode.name) + " to " + target.name + "\n";
        ASSERT_TRUE(trace.succeeded()) << what << explain(trace);
        EXPECT_EQ(trace.arrived.front().place, target.end) << what;
        EXPECT_EQ(trace.arrived.back().place, "node-1/pod-0") << what;
        EXPECT_EQ(explain(trace).find("MASQUERADE") != std::string::npos, target.masqueraded)
            << what;
        for (const Hop& hop : trace.hops) {
          // A Service is in the states only for its own trace.
          if (hop.state_entry.empty() || hop.state_entry.starts_with("service ")) continue;
          EXPECT_THAT(lines, ::testing::Contains(hop.state_entry)) << what;
        }
      }
    }
  }
}

TEST(Trace, TheWayOutOfAVpcCarries1500BytesAndTellsThePod) {
  for (const Provider provider :
       {Provider::Aws, Provider::Azure, Provider::Gcp, Provider::OpenStack, Provider::AliCloud}) {
    auto shoot = on(provider, graph::testing::routed_shoot());
    shoot.dataplane.link_mtu = shoot.dataplane.pod_mtu = 3900;
    const Cluster cluster(shoot);
    SCOPED_TRACE(to_string(provider));
    EXPECT_TRUE(cluster({.to = "internet", .size = 1500}).delivered);
    EXPECT_TRUE(cluster({.to = "node-2/pod-0", .size = 3900}).delivered) << "inside all is larger";
    const Trace trace = cluster({.to = "internet", .size = 3900});
    EXPECT_FALSE(trace.delivered);
    EXPECT_EQ(trace.failure.value().drop, Drop::FabricMtuExceeded);
    EXPECT_THAT(explain(trace), HasSubstr("egress mtu 1500"));
    EXPECT_EQ(trace.arrived.at(0).place, "node-1/pod-0") << "the ICMP error";
    EXPECT_EQ(trace.arrived.at(0).as.icmp.value().next_hop_mtu, 1500u);
  }
}

TEST(Trace, APacketLargerThanTheReceivingUplinkIsNamedWithTheDevice) {
  auto shoot = on(Provider::OpenStack, graph::testing::routed_shoot());
  shoot.dataplane.link_mtu = shoot.dataplane.pod_mtu = 9000;
  Cluster cluster(shoot);
  node::Device uplink = *cluster.states.nodes[1].uplink();
  uplink.mtu = 1500;
  node::NodeEditor(cluster.states.nodes[1]).set_device(uplink);
  const Trace trace = cluster({.to = "node-2/pod-0", .size = 8980});
  EXPECT_EQ(trace.failure.value().drop, Drop::ReceiveMtuExceeded);
  EXPECT_THAT(explain(trace), HasSubstr("eth0: uplink mtu 1500"));
  EXPECT_TRUE(cluster({.to = "node-2/pod-0", .size = 1504}).delivered);
  EXPECT_EQ(facts(Drop::ReceiveMtuExceeded).gate, Gate::Mtu);
}

TEST(Trace, ANodeSendsFromTheAddressOfTheDeviceThatLeadsThere) {
  const Cluster ipip(on(Provider::Aws, graph::testing::ipip_shoot()));
  const Trace trace = ipip({.from = "node-1", .to = "node-2/pod-0", .answer = true});
  ASSERT_TRUE(trace.succeeded()) << explain(trace);
  EXPECT_EQ(trace.arrived.front().as.inner.source.to_string(), "100.96.0.1") << "tunl0's";
  EXPECT_EQ(trace.arrived.back().place, "node-1");
}

TEST(Trace, WhatMayBeCutIsFollowedFragmentByFragment) {
  for (const Mode& mode : modes()) {
    const Trace trace = Cluster(mode.shoot)(
        {.protocol = forward::kUdp, .size = 4000, .dont_fragment = false, .answer = true});
    EXPECT_TRUE(trace.succeeded()) << mode.name << '\n' << explain(trace);
    EXPECT_GT(trace.packets.size(), 4u) << mode.name;
  }
}

TEST(Trace, WhatGoesRoundIsToldOnce) {
  Cluster routed(on(Provider::Aws, graph::testing::routed_shoot()));
  routed.without("node-2: 100.96.1.2");
  const Trace trace = routed({.to = "node-2/pod-0"});
  EXPECT_EQ(trace.failure.value().drop, Drop::TtlExpired);
  EXPECT_LT(trace.hops.size(), 40u) << explain(trace);
  EXPECT_THAT(story(trace), HasSubstr("loop"));
}

TEST(Trace, AServicesAnswerComesFromItsAddress) {
  for (const auto& shoot :
       {graph::testing::routed_shoot(), graph::testing::cilium_native_shoot()}) {
    const Trace trace = Cluster(on(Provider::Aws, shoot))({.to = "100.64.0.10:53",
                                                           .backend = "node-3/pod-1",
                                                           .protocol = forward::kUdp,
                                                           .answer = true});
    ASSERT_TRUE(trace.succeeded()) << explain(trace);
    EXPECT_EQ(trace.arrived.front().place, "node-3/pod-1");
    EXPECT_EQ(trace.arrived.back().as.inner.source.to_string(), "100.64.0.10");
    EXPECT_EQ(trace.arrived.back().as.source_port, 53);
  }
}

struct Served {
  effective::ServiceRouting routing;
  std::uint8_t protocol;
  const char* place;  ///< Where the Service's address is translated …
  const char* entry;  ///< … and the line of the state that does it.
};
using enum effective::ServiceRouting;
constexpr Served kServed[] = {
    {KubeProxyIptables, forward::kTcp, "node-1", "by kube-proxy (iptables)"},
    {KubeProxyIpvs, forward::kTcp, "node-1", "by kube-proxy (IPVS)"},
    {KubeProxyNftables, forward::kTcp, "node-1", "by kube-proxy (nftables)"},
    {CalicoEbpf, forward::kTcp, "node-1/pod-0", ""},
    {CalicoEbpf, forward::kUdp, "node-1", "by calico-node (eBPF)"},
    {Cilium, forward::kUdp, "node-1/pod-0", ""},
    {NetworkExtension, forward::kTcp, "node-1", ""},
};

TEST(Trace, AServiceIsTranslatedWhereItsShootDoesThat) {
  for (const Served& row : kServed) {
    auto shoot = graph::testing::routed_shoot();
    shoot.dataplane.service_routing = row.routing;
    const Trace trace = Cluster(on(Provider::Aws, shoot))(
        {.to = "100.64.0.10:53", .protocol = row.protocol, .answer = true});
    ASSERT_TRUE(trace.succeeded()) << explain(trace);
    std::vector<Hop> told = trace.hops;
    std::erase_if(told, [](const Hop& hop) { return hop.decision != "translate"; });
    ASSERT_EQ(told.size(), 2u) << explain(trace);
    for (const Hop& hop : told) {
      EXPECT_EQ(hop.place, row.place) << explain(trace);
      EXPECT_EQ(hop.state_entry.empty(), std::string_view(row.entry).empty()) << hop.state_entry;
      EXPECT_THAT(hop.state_entry, HasSubstr(row.entry));
    }
  }
}

TEST(Trace, APodMayReachItselfThroughAService) {
  const Cluster cluster(on(Provider::Aws, graph::testing::ipip_shoot()));
  const Trace trace = cluster({.to = "100.64.0.10", .backend = "node-1/pod-0", .answer = true});
  ASSERT_TRUE(trace.succeeded()) << explain(trace);
  EXPECT_EQ(trace.arrived.front().place, "node-1/pod-0");
  EXPECT_EQ(trace.arrived.front().as.inner.source.to_string(), "10.250.0.4");
  EXPECT_EQ(trace.arrived.back().as.inner.source.to_string(), "100.64.0.10");
}

TEST(Trace, AServiceWithoutBackendsIsRefusedByWhoTranslates) {
  for (const Served& row : kServed) {
    auto shoot = graph::testing::routed_shoot();
    shoot.dataplane.service_routing = row.routing;
    const Cluster cluster(on(Provider::Aws, shoot));
    const Question question{.to = "100.64.0.10:53", .backend = "none", .protocol = row.protocol};
    if (std::string_view(row.entry).empty()) {
      EXPECT_EQ(ask(cluster.states, cluster.shoot, question).error().rule, "unsupported-target");
      continue;
    }
    const Trace trace = cluster(question);
    EXPECT_EQ(trace.failure.value().drop, Drop::NoEndpoints) << explain(trace);
    EXPECT_THAT(explain(trace), HasSubstr("port unreachable")) << "the pod hears of it";
  }
}

TEST(Trace, ANodeReachesAServiceMasqueraded) {
  const Cluster cluster(on(Provider::Aws, graph::testing::ipip_shoot()));
  const Trace trace = cluster({.from = "node-1", .to = "100.64.0.10", .answer = true});
  ASSERT_TRUE(trace.succeeded()) << explain(trace);
  EXPECT_EQ(trace.arrived.front().as.inner.source.to_string(), "100.96.0.1") << "tunl0's";
  EXPECT_EQ(trace.arrived.back().place, "node-1");
  EXPECT_EQ(trace.arrived.back().as.inner.source.to_string(), "100.64.0.10");
}

}  // namespace trace_test

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
