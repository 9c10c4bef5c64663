#include "topologies/path/trace.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "topologies/path/gate.h"
#include "topologies/path/testing/clusters.h"
#include "topologies/path/testing/stories.h"

namespace overlane::path {
namespace trace_test {

using effective::Provider;
using ::testing::HasSubstr;

using testing::all_lines;
using testing::Cluster;
using testing::explain;
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
  EXPECT_EQ(gate_of(Drop::ReceiveMtuExceeded), Gate::Mtu);
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
}  // namespace overlane::path
