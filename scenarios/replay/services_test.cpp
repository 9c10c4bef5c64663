#include "scenarios/replay/services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/forward/packet.h"
#include "scenarios/migration/testing/shoots.h"

namespace overlane::replay {
namespace services_test {

using migration::Target;

TEST(ReplayedServices, AreThoseOfTheCoreDnsPodsAndANodePortForEachNode) {
  migration::Loaded loaded = migration::testing::aws_shoot(Target::Routed, 3);
  migration::Transition& transition = loaded.transition;
  const auto services = add_services(transition);
  ASSERT_TRUE(services);
  EXPECT_FALSE(services->dns_of(1));
  for (const std::uint32_t node : {0u, 2u}) {
    const auto dns = services->dns_of(node);
    ASSERT_TRUE(dns);
    EXPECT_EQ(dns->port, 53);
    EXPECT_TRUE(transition.before.services.front().contains(dns->address));
    for (const compile::Compiled* states : {&transition.from, &transition.to})
      for (const node::NodeState& state : states->nodes) {
        ASSERT_NE(state.services, nullptr);
        const auto* service = state.services->find({dns->address, dns->port, forward::kUdp});
        ASSERT_NE(service, nullptr);
        EXPECT_EQ(service->endpoints.front().address, states->nodes[node].pods.front().address);
      }
  }
  EXPECT_NE(services->dns_of(0)->address, services->dns_of(2)->address);

  ASSERT_EQ(services->node_ports.size(), 6u) << "UDP and TCP";
  const IpAddress entry = *IpAddress::parse("10.250.0.4");
  const kernel::ServiceAddress asked = ReplayedServices::node_port_of(1, entry);
  EXPECT_EQ(asked.address, entry);
  EXPECT_EQ(asked.port, 30'001);
  for (const std::size_t i : {2, 3}) {
    EXPECT_EQ(services->node_ports[i].port, asked.port);
    EXPECT_EQ(services->node_ports[i].endpoint.address,
              transition.from.nodes[1].pods.front().address);
  }
}

TEST(ReplayedServices, AreNoneWithoutKubeProxy) {
  migration::Loaded loaded = migration::testing::aws_shoot(Target::Routed, 3);
  loaded.transition.after.dataplane.service_routing = effective::ServiceRouting::CalicoEbpf;
  EXPECT_FALSE(add_services(loaded.transition));
  EXPECT_EQ(loaded.transition.from.nodes.front().services, nullptr);
}

}  // namespace services_test
}  // namespace overlane::replay
