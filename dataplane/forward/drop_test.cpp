#include <functional>

#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace drop_test {

using node::Device;
using node::NodeState;
using node::RouteKind;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::udp;

constexpr auto kNone = Encapsulation::None;
constexpr auto kIp = Encapsulation::Ipip;
constexpr auto kVx = Encapsulation::Vxlan;

Device& device(NodeState& state, const char* name) {
  return *std::ranges::find(state.devices, name, &Device::name);
}

/// Returns a packet from a pod of node-1 to a pod of node-2, as it arrives there.
Packet arriving(Encapsulation encapsulation) {
  auto cluster = make_cluster({.encapsulation = encapsulation});
  node::NodeRuntime runtime;
  Outcome outcome;
  forward(cluster.nodes[0], runtime, udp(pod(0), pod(1)), Ingress::Pod, {}, outcome);
  return outcome.emissions.at(0).packet;
}

Packet with(Packet packet, const std::function<void(Packet&)>& change) {
  change(packet);
  return packet;
}

/// Expected decision of a node in a two-node cluster after a change of its state.
struct Row {
  const char* what;
  Encapsulation encapsulation;
  std::uint32_t node;
  std::function<void(NodeState&)> change;
  Packet packet;
  Ingress ingress;
  std::optional<Drop> drop;
  std::optional<std::pair<int, int>> icmp = {};  ///< Type and code of the ICMP error.
};

const auto kUntouched = [](NodeState&) {};

std::vector<Row> sending_rows() {
  const Packet packet = udp(pod(0), pod(1));
  const auto removing = [](const char* prefix) {
    return
        [=](NodeState& state) { EXPECT_TRUE(node::NodeEditor(state).remove_route(net(prefix))); };
  };
  return {
      {"a pod sends with its own address", kIp, 0, kUntouched, packet, Ingress::Pod, {}},
      {"a pod sends with another pod's address of another node", kIp, 0, kUntouched,
       udp(pod(1), pod(1)), Ingress::Pod, Drop::SourceSpoofed},
      {"a pod sends with the node's address", kIp, 0, kUntouched, udp(ip("10.250.0.4"), pod(1)),
       Ingress::Pod, Drop::SourceSpoofed},
      {"a pod whose route is gone sends", kIp, 0, removing("100.96.1.10/32"), packet, Ingress::Pod,
       Drop::SourceSpoofed},
      {"a pod sends a tunnel packet", kIp, 0, kUntouched,
       with(arriving(kIp), [](Packet& p) { p.outer.source = pod(0); }), Ingress::Pod,
       Drop::PacketFilter},
      {"no route at all", kNone, 0, removing("0.0.0.0/0"), packet, Ingress::Pod, Drop::NoRoute,
       std::pair{3, 0}},
      {"an address of the own pod CIDR that no pod has", kIp, 0, kUntouched,
       udp(pod(0), ip("100.96.1.99")), Ingress::Pod, Drop::BlackholeRoute},
      {"an unreachable route", kIp, 0,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("8.8.8.0/24"), {.kind = RouteKind::Unreachable});
       },
       udp(pod(0), ip("8.8.8.8")), Ingress::Pod, Drop::UnreachableRoute, std::pair{3, 1}},
      {"the tunnel device is gone, so its routes are: the packet leaves bare",
       kIp,
       0,
       [](NodeState& s) { EXPECT_TRUE(node::NodeEditor(s).remove_device("tunl0")); },
       packet,
       Ingress::Pod,
       {}},
      {"the tunnel device is down and nothing else leads there", kIp, 0,
       [](NodeState& s) {
         device(s, "tunl0").up = false;
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       packet, Ingress::Pod, Drop::NoRoute, std::pair{3, 0}},
      {"the uplink is gone: no route for the outer packet, which nobody hears of", kIp, 0,
       [](NodeState& s) { node::NodeEditor(s).remove_device("eth0"); }, packet, Ingress::Pod,
       Drop::NoRoute},
      {"a prohibit route", kIp, 0,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("8.8.8.0/24"), {.kind = RouteKind::Prohibit});
       },
       udp(pod(0), ip("8.8.8.8")), Ingress::Pod, Drop::ProhibitRoute, std::pair{3, 13}},
      {"to the broadcast address of the node's subnet", kIp, 0, kUntouched,
       udp(pod(0), ip("10.250.0.255")), Ingress::Pod, Drop::Martian},
      {"to a multicast group", kIp, 0, kUntouched, udp(pod(0), ip("224.0.0.5")), Ingress::Pod,
       Drop::Martian},
      {"no route for the outer packet", kIp, 0,
       [](NodeState& s) {
         node::NodeEditor(s).remove_route(net("10.250.0.0/24"));
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       packet, Ingress::Pod, Drop::NoRoute},
      {"a VXLAN route to a next hop that is no VTEP", kVx, 0,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(
             net("100.96.2.0/24"),
             {.device = "vxlan.calico", .via = ip("100.96.2.9"), .onlink = true});
       },
       packet, Ingress::Pod, Drop::NoNeighbour, std::pair{3, 1}},
      {"a tunnel that leads back to the node", kIp, 0,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("100.96.2.0/24"),
                                       {.device = "tunl0", .via = ip("10.250.0.4")});
       },
       packet, Ingress::Pod, Drop::UnreachableRoute},
      {"a tunnel whose outer packet is routed into the tunnel", kIp, 0,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("10.250.0.5/32"),
                                       {.device = "tunl0", .via = ip("10.250.0.5")});
       },
       packet, Ingress::Pod, Drop::TunnelLoop},
      {"the hop limit runs out on the sending node", kIp, 0, kUntouched,
       with(packet, [](Packet& p) { p.inner.ttl = 1; }), Ingress::Pod, Drop::TtlExpired,
       std::pair{11, 0}},
      {"an ICMP error is not answered", kNone, 0, removing("0.0.0.0/0"),
       with(packet,
            [](Packet& p) {
              p.inner.protocol = kIcmp;
              p.icmp = IcmpError{.type = 3};
            }),
       Ingress::Pod, Drop::NoRoute},
      {"a later fragment is not answered", kNone, 0, removing("0.0.0.0/0"),
       with(packet, [](Packet& p) { p.inner.fragment_offset = 80; }), Ingress::Pod, Drop::NoRoute},
      {"a node does not answer itself", kNone, 0, removing("0.0.0.0/0"),
       udp(ip("10.250.0.4"), pod(1)), Ingress::Host, Drop::NoRoute},
      {"forwarding is off", kNone, 0, [](NodeState& s) { s.sysctls.ip_forward = false; }, packet,
       Ingress::Pod, Drop::NotLocal},
      {"forwarding is off, but the packet is the node's own",
       kNone,
       0,
       [](NodeState& s) { s.sysctls.ip_forward = false; },
       udp(ip("10.250.0.4"), pod(1)),
       Ingress::Host,
       {}},
      {"a packet shorter than a header", kNone, 0, kUntouched,
       with(packet, [](Packet& p) { p.inner.total_length = 19; }), Ingress::Pod, Drop::Malformed},
  };
}

std::vector<Row> receiving_rows() {
  const auto ecn = [](std::uint8_t inner, std::uint8_t outer) {
    return [=](Packet& p) {
      p.inner.tos = inner;
      p.outer.tos = outer;
    };
  };
  const auto strict = [](const char* name) {
    return [=](NodeState& s) { device(s, name).rp_filter = 1; };
  };
  const Packet bare = udp(pod(0), pod(1));
  return {
      {"an IPIP packet from a member", kIp, 1, kUntouched, arriving(kIp), Ingress::Uplink, {}},
      {"a VXLAN packet from a member", kVx, 1, kUntouched, arriving(kVx), Ingress::Uplink, {}},
      {"a tunnel packet from a foreign node", kIp, 1, kUntouched,
       with(arriving(kIp), [](Packet& p) { p.outer.source = ip("10.250.9.9"); }), Ingress::Uplink,
       Drop::TunnelSource},
      {"the same when no filter is left",
       kIp,
       1,
       [](NodeState& s) { s.filter = nullptr; },
       with(arriving(kIp), [](Packet& p) { p.outer.source = ip("10.250.9.9"); }),
       Ingress::Uplink,
       {}},
      {"no tunl0", kIp, 1, [](NodeState& s) { node::NodeEditor(s).remove_device("tunl0"); },
       arriving(kIp), Ingress::Uplink, Drop::TunnelUnknown, std::pair{3, 3}},
      {"tunl0 is down", kIp, 1, [](NodeState& s) { device(s, "tunl0").up = false; }, arriving(kIp),
       Ingress::Uplink, Drop::TunnelUnknown, std::pair{3, 3}},
      {"VXLAN at a node that speaks IPIP", kIp, 1, kUntouched, arriving(kVx), Ingress::Uplink,
       Drop::TunnelUnknown, std::pair{3, 3}},
      {"another VNI: the socket takes it, no device does", kVx, 1, kUntouched,
       with(arriving(kVx), [](Packet& p) { p.vni = 1; }), Ingress::Uplink, Drop::TunnelUnknown},
      {"another VXLAN port", kVx, 1, kUntouched,
       with(arriving(kVx), [](Packet& p) { p.outer_destination_port = 8472; }), Ingress::Uplink,
       Drop::TunnelUnknown, std::pair{3, 3}},
      {"congestion marked on ECN-capable",
       kIp,
       1,
       kUntouched,
       with(arriving(kIp), ecn(2, 3)),
       Ingress::Uplink,
       {}},
      {"congestion marked on not ECN-capable", kIp, 1, kUntouched, with(arriving(kIp), ecn(0, 3)),
       Ingress::Uplink, Drop::EcnCorrupted},
      {"an inner packet longer than the outer one", kIp, 1, kUntouched,
       with(arriving(kIp), [](Packet& p) { p.inner.total_length += 1; }), Ingress::Uplink,
       Drop::Malformed},
      {"the pod's route is gone and the pod CIDR is a black hole", kIp, 1,
       [](NodeState& s) { node::NodeEditor(s).remove_route(net("100.96.2.10/32")); }, arriving(kIp),
       Ingress::Uplink, Drop::BlackholeRoute},
      {"protocol 4 that is no tunnel of ours", kIp, 1, kUntouched,
       with(udp(ip("10.250.0.4"), ip("10.250.0.5")), [](Packet& p) { p.inner.protocol = kIpip; }),
       Ingress::Uplink, Drop::UnsupportedProtocol},
      {"the uplink is down", kNone, 1, [](NodeState& s) { device(s, "eth0").up = false; }, bare,
       Ingress::Uplink, Drop::DeviceDown},
      {"one byte more than the uplink's MTU and a VLAN tag", kNone, 1, kUntouched,
       with(bare, [](Packet& p) { p.inner.total_length = 1505; }), Ingress::Uplink,
       Drop::ReceiveMtuExceeded},
      {"a tunnel's packet larger than the uplink's MTU", kIp, 1,
       [](NodeState& s) { device(s, "eth0").mtu = 1400; },
       with(arriving(kIp),
            [](Packet& p) {
              p.outer.total_length = 1424;
              p.inner.total_length = 1404;
            }),
       Ingress::Uplink, Drop::ReceiveMtuExceeded},
      {"strict filter on eth0, bare packet, way back over eth0",
       kNone,
       1,
       strict("eth0"),
       bare,
       Ingress::Uplink,
       {}},
      {"strict filter on eth0, bare packet, way back over tunl0", kIp, 1, strict("eth0"), bare,
       Ingress::Uplink, Drop::RpFilter},
      {"loose filter on eth0, bare packet, way back over tunl0",
       kIp,
       1,
       [](NodeState& s) { s.sysctls.rp_filter_all = 2; },
       bare,
       Ingress::Uplink,
       {}},
      {"strict filter on tunl0, way back over tunl0",
       kIp,
       1,
       strict("tunl0"),
       arriving(kIp),
       Ingress::Uplink,
       {}},
      {"strict filter on tunl0, way back over eth0", kIp, 1,
       [](NodeState& s) {
         device(s, "tunl0").rp_filter = 1;
         node::NodeEditor(s).set_route(net("100.96.1.0/24"),
                                       {.device = "eth0", .via = ip("10.250.0.4")});
       },
       arriving(kIp), Ingress::Uplink, Drop::RpFilter},
      {"loose filter on a tunl0 without address, way back over eth0", kIp, 1,
       [](NodeState& s) {
         device(s, "tunl0").rp_filter = 2;
         device(s, "tunl0").addresses.clear();
         node::NodeEditor(s).set_route(net("100.96.1.0/24"),
                                       {.device = "eth0", .via = ip("10.250.0.4")});
       },
       arriving(kIp), Ingress::Uplink, Drop::RpFilter},
      {"loose filter and no way back at all", kNone, 1,
       [](NodeState& s) {
         s.sysctls.rp_filter_all = 2;
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       bare, Ingress::Uplink, Drop::RpFilter},
      {"the node's own address comes from outside", kNone, 1, kUntouched,
       udp(ip("10.250.0.5"), pod(1)), Ingress::Uplink, Drop::RpFilter},
  };
}

void check(const Row& row) {
  SCOPED_TRACE(row.what);
  NodeState state = make_cluster({.encapsulation = row.encapsulation}).nodes[row.node];
  row.change(state);
  node::NodeRuntime runtime;
  Outcome outcome;
  std::vector<Step> steps;
  forward(state, runtime, row.packet, row.ingress, {}, outcome, &steps);
  EXPECT_EQ(outcome.drop, row.drop);
  EXPECT_FALSE(steps.empty());
  EXPECT_EQ(steps.back().decision == "drop", row.drop.has_value());
  std::optional<std::pair<int, int>> icmp;
  for (const Emission& emission : outcome.emissions) {
    EXPECT_EQ(emission.is_reply, row.drop.has_value());
    if (emission.is_reply) {
      icmp = {emission.packet.icmp.value().type, emission.packet.icmp.value().code};
    }
  }
  EXPECT_EQ(icmp, row.icmp);
}

TEST(Forward, SendingNode) {
  for (const Row& row : sending_rows())
    check(row);
}

TEST(Forward, ReceivingNode) {
  for (const Row& row : receiving_rows())
    check(row);
}

TEST(Forward, AVanishedPodsPacketsGoRoundUntilTheHopLimitEndsIt) {
  // Without black-hole routes the default route sends the packet back to the VPC, which delivers it
  // to the node again.
  auto cluster = make_cluster({.encapsulation = kNone});
  const auto result = testing::walk(cluster, 0, udp(pod(0), ip("100.96.2.99")));
  EXPECT_EQ(result.drop, Drop::TtlExpired);
  EXPECT_EQ(result.nodes.size(), 64u);
  EXPECT_EQ(result.nodes.back(), 1u);
}

TEST(Forward, EcnMarksOnTheOuterHeaderReachThePod) {
  auto cluster = make_cluster({.encapsulation = kVx});
  Packet packet = arriving(kVx);
  packet.inner.tos = 0xb8 | 2;
  packet.outer.tos = 3;
  node::NodeRuntime runtime;
  Outcome outcome;
  forward(cluster.nodes[1], runtime, packet, Ingress::Uplink, {}, outcome);
  EXPECT_EQ(outcome.emissions.at(0).egress, Egress::Pod);
  EXPECT_EQ(outcome.emissions.at(0).packet.inner.tos, 0xb8 | 3);
}

TEST(Forward, StepsNameTheEntriesThatDecided) {
  const auto cluster = make_cluster({.encapsulation = kIp});
  node::NodeRuntime runtime;
  Outcome outcome;
  std::vector<Step> steps;
  forward(cluster.nodes[0], runtime, udp(pod(0), pod(1)), Ingress::Pod, {}, outcome, &steps);
  std::vector<std::string> decisions;
  for (const Step& step : steps) {
    EXPECT_EQ(step.place, "node-1");
    EXPECT_NE(to_string(cluster.nodes[0]).find(step.state_entry + '\n'), std::string::npos)
        << step.state_entry;
    decisions.push_back(step.decision);
  }
  EXPECT_EQ(decisions,
            (std::vector<std::string>{"check source", "route", "encapsulate", "route", "send"}));
  EXPECT_EQ(steps[1].because, "100.96.2.10 is in 100.96.2.0/24");
  EXPECT_EQ(steps[1].state_entry, "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink");
  EXPECT_EQ(steps[3].because, "10.250.0.5 is in 10.250.0.0/24");
}

}  // namespace drop_test
}  // namespace overlane::forward
