#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace services_test {

using namespace testing;
using cost::ServiceRouting;
using cost::Stage;

/// A cluster of 10,000 Services in which only these cost anything.
Network cluster(ServiceRouting routing) {
  Network network = testing::network();
  network.paths.jitter = {};
  network.costs = cost::CostProfile{.name = "test", .stages = {}};
  (*network.costs)[Stage::ServiceRule].per_skb = nanoseconds(6);
  (*network.costs)[Stage::ServiceIpvs].per_skb = nanoseconds(1000);
  (*network.costs)[Stage::ServiceNftables].per_skb = nanoseconds(500);
  (*network.costs)[Stage::ServiceEbpf].per_skb = nanoseconds(300);
  (*network.costs)[Stage::ServiceNat].per_skb = nanoseconds(100);
  network.services = {routing, 10'000};
  return network;
}

TrafficGroup asking(bool service, Connections connections) {
  TrafficGroup group = requests();
  group.to_service = service;
  group.connections = connections;
  group.think_time = microseconds(50);
  return group;
}

/// How much longer a request takes because it goes to a Service, in nanoseconds.
std::int64_t more(ServiceRouting routing, Connections connections) {
  const auto fastest = [&](bool service) {
    const TrafficGroup group = asking(service, connections);
    return measure(cluster(routing), {group}).traffic[0].latency_ns.min();
  };
  return fastest(true) - fastest(false);
}

TEST(Services, ANewConnectionIsComparedWithHalfOfTheRulesOfIptables) {
  // SYN, request and response are translated, and the acknowledgement that goes before the request.
  constexpr std::int64_t kTranslations = 400;
  const auto first = [](ServiceRouting routing) { return more(routing, Connections::PerRequest); };
  EXPECT_PRED3(near, first(ServiceRouting::Iptables), 6 * 5001 + kTranslations, 100);
  EXPECT_PRED3(near, first(ServiceRouting::Ipvs), 1000 + kTranslations, 100);
  EXPECT_PRED3(near, first(ServiceRouting::Nftables), 500 + kTranslations, 100);
  EXPECT_PRED3(near, first(ServiceRouting::Ebpf), 300, 100);
}

TEST(Services, LastingConnectionsPayForTranslationOnly) {
  const auto later = [](ServiceRouting routing) { return more(routing, Connections::KeepAlive); };
  EXPECT_PRED3(near, later(ServiceRouting::Iptables), 200, 10);
  EXPECT_EQ(later(ServiceRouting::Iptables), later(ServiceRouting::Nftables));
  EXPECT_EQ(later(ServiceRouting::Ebpf), 0);
}

TEST(Services, DatagramsAreLookedUpOnce) {
  const auto busy = [](bool service) {
    TrafficGroup group = datagrams(8'000'000, 1000);
    group.to_service = service;
    return measure(cluster(ServiceRouting::Iptables), {group}).node_busy_ppm[0];
  };
  EXPECT_EQ(busy(false), 0);
  // 100 datagrams in 100 ms: 30 µs once and 100 ns each, of four cores.
  EXPECT_PRED3(near, busy(true), (30'006 + 100 * 100) / 400, 3);
}

}  // namespace services_test
}  // namespace overlane::run
