#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/testing/walk.h"

namespace overlane::forward {
namespace service_test {

using node::NodeState;
using node::ServiceProxy;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;
using testing::answer_to;
using ::testing::HasSubstr;

const IpAddress kService = ip("100.64.0.20");
const IpAddress kNode = ip("10.250.0.4");
constexpr std::uint16_t kTarget = 8080;

/// Node 1, on which kube-proxy serves one UDP port.
struct Node {
  NodeState state = make_cluster({}).nodes[0];
  node::NodeRuntime runtime;
  std::vector<Step> steps;

  Node(ServiceProxy proxy, const std::vector<node::Endpoint>& endpoints) {
    node::PacketFilter filter = *state.filter;
    filter.tracking = node::Tracking::Translated;
    state.filter = std::make_shared<const node::PacketFilter>(filter);
    state.services = std::make_shared<const node::ServiceTable>(
        node::ServiceTable::make(proxy, {{{kService, 80, kUdp}, endpoints}}, {net("100.96.0.0/16")})
            .value());
  }
  Outcome take(const Packet& packet, Ingress ingress = Ingress::Pod) {
    Outcome outcome;
    steps.clear();
    forward(state, runtime, packet, ingress, {}, outcome, &steps);
    return outcome;
  }
  std::string told(std::string_view decision) const {
    std::string all;
    for (const Step& step : steps)
      if (step.decision == decision) all += step.because + " [" + step.state_entry + "]\n";
    return all;
  }
};

Packet udp(IpAddress source, std::uint16_t source_port, IpAddress destination,
           std::uint16_t destination_port) {
  return PacketBuilder::udp(source, destination)
      .ports(source_port, destination_port)
      .length(100)
      .build();
}
const Packet kAsk = udp(pod(0), 40'000, kService, 80);

TEST(Service, APodReachesItselfAsTheNodeAndHearsTheService) {
  Node node(ServiceProxy::Iptables, {{pod(0), kTarget}});
  const Outcome asked = node.take(kAsk);
  ASSERT_EQ(asked.emissions.size(), 1u);
  const Packet seen = asked.emissions[0].packet;
  EXPECT_EQ(seen.inner.source, kNode);
  EXPECT_EQ(seen.inner.destination, pod(0));
  EXPECT_EQ(seen.destination_port, kTarget);
  const Outcome heard = node.take(answer_to(seen));
  ASSERT_EQ(heard.emissions.size(), 1u);
  EXPECT_EQ(heard.emissions[0].egress, Egress::Pod);
  EXPECT_EQ(heard.emissions[0].packet.inner.source, kService);
  EXPECT_EQ(heard.emissions[0].packet.source_port, 80);
  EXPECT_EQ(heard.emissions[0].packet.inner.destination, pod(0));
  EXPECT_EQ(heard.emissions[0].packet.destination_port, 40'000);

  node::forget_lost_devices(node.runtime, node.state);
  EXPECT_EQ(node.runtime.connections.size(), 1u) << "its veth is there";
  node.state.pods.clear();
  node::forget_lost_devices(node.runtime, node.state);
  EXPECT_EQ(node.runtime.connections.size(), 0u) << "and now it is gone";
}

TEST(Service, TheNodeAsksAndHearsThroughTheSameTranslations) {
  Node node(ServiceProxy::Iptables, {{pod(0), kTarget}});
  const Outcome asked = node.take(udp(kNode, 40'000, kService, 80), Ingress::Host);
  ASSERT_EQ(asked.emissions.size(), 1u);
  EXPECT_EQ(asked.emissions[0].egress, Egress::Pod);
  const Outcome heard = node.take(answer_to(asked.emissions[0].packet));
  ASSERT_EQ(heard.emissions.size(), 1u);
  EXPECT_EQ(heard.emissions[0].egress, Egress::Host);
  EXPECT_EQ(heard.emissions[0].packet.inner.source, kService);
  EXPECT_EQ(heard.emissions[0].packet.source_port, 80);
  EXPECT_EQ(heard.emissions[0].packet.inner.destination, kNode);
  EXPECT_EQ(heard.emissions[0].packet.destination_port, 40'000);
}

TEST(Service, TellsWhoTranslatedAndByWhichEntry) {
  Node node(ServiceProxy::Nftables, {{pod(1), kTarget}});
  const std::string entry =
      "service udp 100.64.0.20:80 endpoints 100.96.2.10:8080 by kube-proxy (nftables)";
  const Outcome asked = node.take(kAsk);
  EXPECT_EQ(node.told("translate"),
            "kube-proxy (nftables) sends what is for the Service 100.64.0.20 port 80 to its "
            "endpoint 100.96.2.10 port 8080 [" +
                entry + "]\n");
  EXPECT_THAT(to_string(node.state), HasSubstr(entry));
  node.take(answer_to(asked.emissions[0].packet), Ingress::Uplink);
  EXPECT_EQ(node.told("translate"),
            "it comes through a Service: 100.96.2.10 port 8080 becomes 100.64.0.20 port 80 "
            "again [" +
                entry + "]\n");
}

TEST(Service, ConnectionsOutliveTheServiceAsTheirEntriesDo) {
  Node node(ServiceProxy::Iptables, {{pod(1), kTarget}});
  node.take(kAsk);
  node.state.services = nullptr;
  EXPECT_EQ(node.take(kAsk).emissions[0].packet.inner.destination, pod(1));
  Packet other = kAsk;
  other.source_port = 40'001;
  EXPECT_EQ(node.take(other).emissions[0].packet.inner.destination, kService);
}

TEST(Service, WithoutTrackedConnectionsNothingIsTranslated) {
  Node node(ServiceProxy::Iptables, {{pod(1), kTarget}});
  node.state.filter = nullptr;
  EXPECT_EQ(node.take(kAsk).emissions[0].packet.inner.destination, kService);
}

}  // namespace service_test
}  // namespace overlane::forward
