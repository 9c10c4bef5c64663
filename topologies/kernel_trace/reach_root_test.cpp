#include <algorithm>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "topologies/graph/testing/shoots.h"
#include "topologies/kernel_trace/reach.h"

namespace overlane::testbed {
namespace reach_root_test {

using graph::testing::by_felix;
using graph::testing::cilium_direct_routes_shoot;
using graph::testing::cilium_tunnel_shoot;
using graph::testing::ipip_shoot;
using graph::testing::prefix;
using graph::testing::routed_shoot;
using graph::testing::vxlan_shoot;

constexpr std::uint32_t kNodes = 4;  // 0 and 2 in zone a, 1 and 3 in zone b.

compile::Compiled states_of(const effective::EffectiveDataplane& shoot) {
  const auto topology =
      graph::Topology::build({.shoot = &shoot, .nodes = kNodes, .pods_per_node = 1});
  return *compile::compile(*topology, shoot);
}

/// A cluster, a change to it, and how many of its 24 trips are then delivered.
struct Case {
  const char* sentence;
  effective::EffectiveDataplane shoot;
  void (*tamper)(compile::Compiled&);
  std::ptrdiff_t arrive;
};

constexpr std::uint16_t kSmall = 100;

std::vector<Case> cases() {
  return {
      {"routed pods reach each other, with full packets too", routed_shoot(),
       [](compile::Compiled&) {}, 24},
      {"without a cloud route the other zone loses the node", routed_shoot(),
       [](compile::Compiled& states) {
         node::FabricEditor(states.fabric).remove_route(0, prefix("100.96.3.0/24"));
       },
       20},
      {"an onlink next hop in another subnet gets no ARP answer", routed_shoot(),
       [](compile::Compiled& states) {
         const node::Member& peer = states.nodes[1].member();
         node::NodeEditor(states.nodes[0])
             .set_route(peer.ipv4->pod_cidr,
                        {.device = "eth0", .via = peer.ipv4->node, .onlink = true});
       },
       22},
      {"by its subnet's router the same packets arrive", routed_shoot(),
       [](compile::Compiled& states) {
         const node::Member& peer = states.nodes[1].member();
         node::NodeEditor(states.nodes[0])
             .set_route(peer.ipv4->pod_cidr,
                        {.device = "eth0", .via = prefix("10.250.0.1/32").network});
       },
       24},
      {"VXLAN takes pods to each other", vxlan_shoot(), [](compile::Compiled&) {}, 24},
      {"without a peer's route VXLAN loses that direction", vxlan_shoot(),
       [](compile::Compiled& states) {
         node::NodeEditor(states.nodes[1]).remove_route(prefix("100.96.2.0/24"));
       },
       22},
      {"IPIP takes pods to each other", ipip_shoot(), [](compile::Compiled&) {}, 24},
      {"without tunl0 a node is cut off", ipip_shoot(),
       [](compile::Compiled& states) { node::NodeEditor(states.nodes[2]).remove_device("tunl0"); },
       12},
      {"Felix's IPIP routes with an MTU take pods to each other", by_felix(ipip_shoot()),
       [](compile::Compiled&) {}, 24},
      {"Cilium's VXLAN in metadata mode takes pods to each other",
       cilium_tunnel_shoot(effective::Encapsulation::Vxlan), [](compile::Compiled&) {}, 24},
      {"without a peer in the map Cilium loses that direction",
       cilium_tunnel_shoot(effective::Encapsulation::Vxlan),
       [](compile::Compiled& states) {
         node::NodeEditor(states.nodes[1]).remove_route(prefix("100.96.2.0/24"));
       },
       22},
      {"Cilium's Geneve takes pods to each other",
       cilium_tunnel_shoot(effective::Encapsulation::Geneve), [](compile::Compiled&) {}, 24},
      {"native Cilium with direct routes takes pods to each other", cilium_direct_routes_shoot(),
       [](compile::Compiled&) {}, 24},
  };
}

bool can(const kernel::Answer& answer, const std::vector<std::string>& needed) {
  return std::ranges::all_of(needed, [&](const std::string& name) {
    const auto at = std::ranges::find(answer.abilities, name, &kernel::Ability::name);
    return at != answer.abilities.end() && at->missing.empty();
  });
}

/// The first place that has the devices of a case.
std::optional<kernel::Place> place_for(const compile::Compiled& states) {
  for (const auto place : {kernel::Place::Namespaces, kernel::Place::UserModeLinux}) {
    const auto abilities = kernel::ask(place, {.probe = true}, {KERNEL_NODE});
    if (abilities && can(*abilities, needed_abilities(states))) return place;
  }
  return std::nullopt;
}

using ReachIn = Parsed<Reach> (*)(const compile::Compiled&, const std::vector<Trip>&, kernel::Place,
                                  const kernel::InnerCommand&);

class Reachability : public testing::TestWithParam<Case> {
 protected:
  void expect_the_cores(ReachIn reach_in) {
    const auto place = place_for(states_);
    if (!place) GTEST_SKIP() << "no place has " << needed_abilities(states_).front();
    const auto full = static_cast<std::uint16_t>(GetParam().shoot.dataplane.pod_mtu);
    const auto reached =
        reach_in(states_, all_trips(states_, {kSmall, full}), *place, {KERNEL_NODE});
    ASSERT_TRUE(reached) << reached.error();
    for (const TripOutcome& verdict : reached->verdicts) {
      EXPECT_EQ(verdict.kernel, verdict.core)
          << verdict.trip.from_node << " to " << verdict.trip.to_node << ", " << verdict.trip.bytes
          << " bytes: " << verdict.ended;
    }
    EXPECT_EQ(std::ranges::count(reached->verdicts, true, &TripOutcome::kernel), GetParam().arrive);
  }

  void SetUp() override {
    states_ = states_of(GetParam().shoot);
    GetParam().tamper(states_);
  }

  compile::Compiled states_;
};

TEST_P(Reachability, IsTheSameOnKernelsAsInTheCore) {
  expect_the_cores(reach);
}

TEST_P(Reachability, IsTheSameWhenTheFabricIsAKernelToo) {
  if (const std::string reason = obstacle(states_); !reason.empty()) GTEST_SKIP() << reason;
  expect_the_cores(reach_through_kernels);
}

TEST(KernelFabric, IsNotForTunnelsWhoseFramesAnEbpfProgramReaddresses) {
  const auto cilium = states_of(cilium_tunnel_shoot(effective::Encapsulation::Vxlan));
  EXPECT_NE(obstacle(cilium).find("eBPF"), std::string::npos);
  EXPECT_EQ(obstacle(states_of(cilium_direct_routes_shoot())), "");
  EXPECT_EQ(obstacle(states_of(vxlan_shoot())), "");
}

/// GCP and Azure inspect only the destination; Azure's fabric drops IPIP.
TEST(KernelFabric, WithoutLinkAddressesCarriesByDestination) {
  compile::Compiled states = states_of(vxlan_shoot());
  states.fabric.honours_next_hop = false;
  states.fabric.link_layer_answers = node::LinkLayerAnswers::AllAddresses;
  states.fabric.dropped_protocols = {4};
  const auto place = place_for(states);
  if (!place) GTEST_SKIP() << "no place has VXLAN";
  const auto trips = all_trips(states, {kSmall});
  const auto vxlan = reach_through_kernels(states, trips, *place, {KERNEL_NODE});
  ASSERT_TRUE(vxlan) << vxlan.error();
  EXPECT_EQ(std::ranges::count(vxlan->verdicts, true, &TripOutcome::kernel), 12);
  compile::Compiled ipip = states_of(ipip_shoot());
  ipip.fabric.honours_next_hop = false;
  ipip.fabric.link_layer_answers = node::LinkLayerAnswers::AllAddresses;
  ipip.fabric.dropped_protocols = {4};
  const auto ipip_place = place_for(ipip);
  if (!ipip_place) GTEST_SKIP() << "no place has IPIP";
  const auto lost = reach_through_kernels(ipip, trips, *ipip_place, {KERNEL_NODE});
  ASSERT_TRUE(lost) << lost.error();
  EXPECT_EQ(std::ranges::count(lost->verdicts, true, &TripOutcome::kernel), 0);
  EXPECT_EQ(std::ranges::count(lost->verdicts, true, &TripOutcome::core), 0);
}

INSTANTIATE_TEST_SUITE_P(Clusters, Reachability, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name;
  for (const char c : std::string(test.param.sentence))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace reach_root_test
}  // namespace overlane::testbed
