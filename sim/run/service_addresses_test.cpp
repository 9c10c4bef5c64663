#include <memory>

#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace service_addresses_test {

using namespace testing;
using node::ServiceProxy;

const IpAddress kService = node::testing::ip("100.64.0.20");
constexpr std::uint16_t kPort = 80;

/// A Service in front of the pod that pair() goes to, on all nodes.
Network serving(ServiceProxy proxy, const ClusterShape& shape = {}) {
  Network network = testing::network(shape);
  std::vector<node::Service> services;
  for (const std::uint8_t protocol : {forward::kTcp, forward::kUdp})
    services.push_back({{kService, kPort, protocol}, {{pod(1), kServerPort}}});
  const auto table = std::make_shared<const node::ServiceTable>(
      node::ServiceTable::make(proxy, services, {node::testing::net("100.96.0.0/16")}).value());
  auto filter = std::make_shared<node::PacketFilter>(*network.nodes[0].filter);
  filter->tracking = node::Tracking::Translated;
  for (node::NodeState& state : network.nodes) {
    state.services = table;
    state.filter = filter;
  }
  return network;
}

TrafficGroup through_service(TrafficGroup group) {
  group.to_service = true;
  return group;
}

/// What packets bear where their pod's socket sends them, and where the other's gets them.
struct Seen {
  IpAddress asked;     ///< By the client.
  IpAddress served;    ///< Where the server gets it.
  IpAddress answered;  ///< Where the client gets the answer from.
  std::uint16_t asked_port = 0;
};
Seen seen_on(const Network& network, const TrafficGroup& group) {
  Seen seen;
  const TraceOptions trace_of{.follows = [](std::uint32_t, std::uint32_t) { return true; },
                              .see =
                                  [&](const TraceEvent& s) {
                                    if (s.header == nullptr) return;
                                    if (s.stop == TracePoint::Sent && !s.backward) {
                                      seen.asked = s.header->inner.destination;
                                      seen.asked_port = s.header->destination_port;
                                    }
                                    if (s.stop != TracePoint::Delivered) return;
                                    (s.backward ? seen.answered : seen.served) =
                                        s.backward ? s.header->inner.source
                                                   : s.header->inner.destination;
                                  }};
  measure(network, {group}, {.duration = milliseconds(5), .trace = &trace_of});
  return seen;
}

void expect_same(const model::TrafficResult& a, const model::TrafficResult& b) {
  EXPECT_EQ(a.packets, b.packets);
  EXPECT_EQ(a.goodput_bps, b.goodput_bps);
  EXPECT_EQ(a.latency_ns, b.latency_ns);
  EXPECT_EQ(a.transactions, b.transactions);
  EXPECT_EQ(a.drops, b.drops);
}

struct Row {
  ServiceProxy proxy;
  bool over_udp;
  bool on_packets;  ///< Packets between pod and node bear the Service's address.
};
constexpr Row kRows[] = {
    {ServiceProxy::Iptables, false, true},  {ServiceProxy::Ipvs, false, true},
    {ServiceProxy::Nftables, true, true},   {ServiceProxy::CalicoEbpf, false, false},
    {ServiceProxy::CalicoEbpf, true, true}, {ServiceProxy::Cilium, true, false},
};

TEST(ServiceAddresses, PacketsBearThemWhereNodesTranslate) {
  for (const Encapsulation encapsulation : {Encapsulation::None, Encapsulation::Vxlan}) {
    for (const Row& row : kRows) {
      TrafficGroup group = through_service(requests());
      group.over_udp = row.over_udp;
      const Seen seen = seen_on(serving(row.proxy, {.encapsulation = encapsulation}), group);
      EXPECT_EQ(seen.asked, row.on_packets ? kService : pod(1)) << to_string(row.proxy);
      EXPECT_EQ(seen.asked_port, row.on_packets ? kPort : kServerPort);
      EXPECT_EQ(seen.served, pod(1));
      EXPECT_EQ(seen.answered, row.on_packets ? kService : pod(1));
    }
  }
}

TEST(ServiceAddresses, ChangeNoTimes) {
  for (const Encapsulation encapsulation : {Encapsulation::None, Encapsulation::Vxlan}) {
    for (const Connections connections : {Connections::KeepAlive, Connections::PerRequest}) {
      TrafficGroup group = requests();
      group.connections = connections;
      group.flows_per_pair = 3;
      const auto served = measure(serving(ServiceProxy::Iptables, {.encapsulation = encapsulation}),
                                  {through_service(group)});
      const auto direct = measure(testing::network({.encapsulation = encapsulation}), {group});
      expect_same(served.traffic[0], direct.traffic[0]);
    }
  }
}

TEST(ServiceAddresses, KeptDecisionsAreThoseOfEachPacket) {
  std::vector<TrafficGroup> groups{through_service(bulk()), through_service(requests()),
                                   through_service(datagrams(50'000'000, 1000))};
  for (TrafficGroup& group : groups)
    group.flows_per_pair = 2;
  groups[1].connections = Connections::PerRequest;
  const Network network = serving(ServiceProxy::Ipvs, {.encapsulation = Encapsulation::Ipip});
  const auto kept = measure(network, groups, {.duration = milliseconds(20)});
  const auto decided =
      measure(network, groups, {.duration = milliseconds(20), .keep_decisions = false});
  for (std::size_t i = 0; i < groups.size(); ++i)
    expect_same(kept.traffic[i], decided.traffic[i]);
}

/// The Service goes while connections run: they go on, and new ones find nothing there.
TEST(ServiceAddresses, ConnectionsOutliveTheirService) {
  const auto forget = [](node::WorldEditor& world) { world.node(0).set_services(nullptr); };
  const auto answered = [&](Connections connections) {
    TrafficGroup group = through_service(requests());
    group.connections = connections;
    const auto result = measure(
        serving(ServiceProxy::Iptables), {group},
        {.duration = milliseconds(40), .changes = {{.at = milliseconds(20), .apply = forget}}});
    return std::pair(result.traffic[0].latency_ns.count(),
                     result.traffic[0].drops[Drop::FabricNoRoute]);
  };
  const auto [kept, lost] = answered(Connections::KeepAlive);
  const auto [opened, refused] = answered(Connections::PerRequest);
  EXPECT_EQ(lost, 0);
  EXPECT_GT(refused, 0);
  EXPECT_GT(kept, 2 * opened * 2 / 3);
}

}  // namespace service_addresses_test
}  // namespace overlane::run
