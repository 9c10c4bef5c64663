#include <memory>

#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace node_ends_test {

using namespace testing;
using node::testing::node_address;
using node::testing::node_address_v6;
using node::testing::pod_v6;

constexpr Encapsulation kNone = Encapsulation::None;
constexpr Encapsulation kIpip = Encapsulation::Ipip;
constexpr Encapsulation kVxlan = Encapsulation::Vxlan;

/// Which ends are on the nodes' own network.
struct Ends {
  bool from_node;
  bool to_node;
  std::int64_t hops;  ///< Links that a packet between two nodes passes.
};
constexpr Ends kEnds[] = {{false, false, 4}, {true, false, 3}, {false, true, 3}, {true, true, 2}};

/// `group` between the first two nodes, in a family.
TrafficGroup between(const Ends& ends, TrafficGroup group, Family family = Family::Ipv4) {
  const auto end = [&](std::uint32_t node, bool on_node) -> PodEnd {
    if (family == Family::Ipv4) return {node, on_node ? node_address({}, node) : pod(node)};
    return {node, on_node ? node_address_v6({}, node) : pod_v6(node)};
  };
  group.pairs = {{end(0, ends.from_node), end(1, ends.to_node)}};
  group.from_node = ends.from_node;
  group.to_node = ends.to_node;
  return group;
}

std::vector<TrafficGroup> every_kind() {
  TrafficGroup short_lived = requests();
  short_lived.connections = Connections::PerRequest;
  TrafficGroup over_udp = requests();
  over_udp.over_udp = true;
  return {bulk(), datagrams(50'000'000, 1000), requests(), short_lived, over_udp};
}

/// The packets of a run at its sockets.
struct Seen {
  IpAddress from;      ///< Source of what the client sends, …
  IpAddress served;    ///< … where the server gets it …
  IpAddress answered;  ///< … and of the answer, where the client gets it.
  std::uint32_t largest = 0;
};
Seen seen_on(const Network& network, const TrafficGroup& group) {
  Seen seen;
  const TraceOptions trace_of{.follows = [](std::uint32_t, std::uint32_t) { return true; },
                              .see =
                                  [&](const TraceEvent& s) {
                                    if (s.header == nullptr) return;
                                    seen.largest = std::max(seen.largest, s.bytes);
                                    const IpAddress source = s.header->inner.source;
                                    if (s.stop == TracePoint::Sent && !s.backward)
                                      seen.from = source;
                                    if (s.stop != TracePoint::Delivered) return;
                                    (s.backward ? seen.answered : seen.served) = source;
                                  }};
  measure(network, {group}, {.duration = milliseconds(5), .trace = &trace_of});
  return seen;
}

TEST(NodeEnds, EveryKindOfTrafficPassesOneVethLessForEachOfThem) {
  for (const Encapsulation encapsulation : {kNone, kIpip, kVxlan, Encapsulation::Geneve}) {
    const Network network = testing::network({.encapsulation = encapsulation});
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (encapsulation == kIpip && family == Family::Ipv6) continue;  // Its pods have no way.
      for (const TrafficGroup& group : every_kind()) {
        for (const Ends& ends : kEnds) {
          const Measurement result = measure(network, {between(ends, group, family)},
                                             {.duration = milliseconds(10), .warm_up = {}});
          const model::TrafficResult& traffic = result.traffic[0];
          const std::string what = std::string(to_string(encapsulation)) + ' ' + group.name;
          EXPECT_GT(traffic.goodput_bps, 0) << what;
          EXPECT_EQ(traffic.packets.dropped, 0) << what;
          EXPECT_GE(result.engine.packet_hops, ends.hops * traffic.packets.delivered) << what;
          EXPECT_LE(result.engine.packet_hops, ends.hops * traffic.packets.sent) << what;
        }
      }
    }
  }
}

struct Addresses {
  Encapsulation encapsulation;
  Ends ends;
  const char* from;
  const char* served;
  const char* answered;
};
constexpr Addresses kAddresses[] = {
    {kNone, kEnds[1], "10.250.0.4", "10.250.0.4", "100.96.2.10"},
    {kNone, kEnds[2], "100.96.1.10", "100.96.1.10", "10.250.0.5"},
    {kNone, kEnds[3], "10.250.0.4", "10.250.0.4", "10.250.0.5"},
    {kIpip, kEnds[1], "100.96.1.1", "100.96.1.1", "100.96.2.10"},  // tunl0's
    {kIpip, kEnds[2], "100.96.1.10", "100.96.1.10", "10.250.0.5"},
    {kIpip, kEnds[3], "10.250.0.4", "10.250.0.4", "10.250.0.5"},
    {kVxlan, kEnds[1], "100.96.1.1", "100.96.1.1", "100.96.2.10"},  // vxlan.calico's
    {kVxlan, kEnds[3], "10.250.0.4", "10.250.0.4", "10.250.0.5"},
};

TEST(NodeEnds, SendFromTheAddressOfTheDeviceThatLeadsThere) {
  for (const Addresses& row : kAddresses) {
    const Network network = testing::network({.encapsulation = row.encapsulation});
    for (const TrafficGroup& group : {bulk(), requests(), every_kind()[4]}) {
      const Seen seen = seen_on(network, between(row.ends, group));
      EXPECT_EQ(seen.from.to_string(), row.from);
      EXPECT_EQ(seen.served.to_string(), row.served);
      EXPECT_EQ(seen.answered.to_string(), row.answered);
    }
  }
}

TEST(NodeEnds, TakeTheirSegmentSizeFromTheRoute) {
  for (const auto& [encapsulation, ends, largest] :
       {std::tuple(kVxlan, kEnds[3], 1500u), std::tuple(kVxlan, kEnds[0], 1500u),
        std::tuple(kNone, kEnds[1], 1500u)}) {
    EXPECT_EQ(
        seen_on(testing::network({.encapsulation = encapsulation}), between(ends, bulk())).largest,
        largest);
  }
  // The pods' own MTU leaves no room for the tunnel; the node's route does.
  Network network = testing::network({.encapsulation = kVxlan});
  for (node::NodeState& node : network.nodes)
    for (node::LocalPod& local : node.pods)
      local.mtu = 1500;
  const auto drops = [&](const Ends& ends) {
    return measure(network, {between(ends, bulk())}).traffic[0].drops[Drop::MtuExceeded];
  };
  EXPECT_GT(drops(kEnds[0]), 0);
  EXPECT_EQ(drops(kEnds[1]), 0);
}

TEST(NodeEnds, HearWhatTheFabricSaysOfTheirPacketsAndNotOfTheirTunnels) {
  Network network = testing::network({.encapsulation = kIpip});
  network.fabric.mtu = 1400;
  const auto bulk_of = [&](const Ends& ends) {
    return measure(network, {between(ends, bulk())}).traffic[0];
  };
  const model::TrafficResult own = bulk_of(kEnds[3]);
  EXPECT_GT(own.drops[Drop::FabricMtuExceeded], 0) << "the first segments";
  EXPECT_GT(own.goodput_bps, 5'000'000'000);
  const model::TrafficResult tunnelled = bulk_of(kEnds[1]);
  EXPECT_GT(tunnelled.drops[Drop::FabricMtuExceeded], 0);
  EXPECT_EQ(tunnelled.drops[Drop::NoSocket], 0) << "the node itself takes what is said of it";
}

}  // namespace node_ends_test
}  // namespace overlane::run
