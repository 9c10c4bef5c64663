#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/witness/questions.h"
#include "topologies/witness/testing/cases.h"

namespace overlane::witness {
namespace route_table_test {

using effective::EffectiveDataplane;
using effective::Provider;
using graph::testing::cilium_native_shoot;
using graph::testing::routed_shoot;
using graph::testing::with_cloud_routes;
using ::testing::Contains;
using testing::expect_reason;
using testing::find;
using ::testing::HasSubstr;
using testing::kApart;
using testing::kClouds;
using ::testing::Not;
using testing::on;
using testing::overlay_on;
using testing::pods;

/// On one link, by BIRD, no router is asked, and in WireGuard no route; who has neither is hurt.
TEST(WitnessInOneTable, OthersLosePodsOfAShootThatNeedsNoRoutes) {
  using graph::testing::bird_routes_shoot;
  using graph::testing::encrypted;
  struct Row {
    const char* what;
    Provider provider;
    EffectiveDataplane a;
    EffectiveDataplane b;
    const char* sender;
    const char* meant;
    const char* lands;
  };
  constexpr const char* kHost = "a host of the network";
  constexpr const char* kOfA = "garden-a/a node-2/pod-0";
  constexpr const char* kOfB = "garden-b/b node-2/pod-0";
  const Row rows[] = {
      {"BIRD, in zones of one subnet", Provider::OpenStack, bird_routes_shoot(),
       bird_routes_shoot(), kHost, kOfA, kOfB},
      {"WireGuard", Provider::Gcp, encrypted(routed_shoot()), encrypted(routed_shoot()), kHost,
       kOfA, kOfB},
      {"WireGuard of Cilium", Provider::Azure, encrypted(cilium_native_shoot()),
       encrypted(cilium_native_shoot()), kHost, kOfA, kOfB},
      {"only one needs no routes", Provider::OpenStack, bird_routes_shoot(), routed_shoot(),
       "garden-b/b node-1/pod-0", kOfB, kOfA},
      {"the other needs none", Provider::Gcp, routed_shoot(), encrypted(routed_shoot()),
       "garden-a/a node-1/pod-0", kOfA, kOfB},
      {"Alibaba Cloud writes routes beside an overlay, and the routed one is hurt more",
       Provider::AliCloud, with_cloud_routes(graph::testing::ipip_shoot()), routed_shoot(),
       "garden-b/b node-1/pod-0", kOfB, kOfA},
      {"the other way round", Provider::AliCloud, routed_shoot(),
       with_cloud_routes(graph::testing::ipip_shoot()), "garden-a/a node-1/pod-0", kOfA, kOfB},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const auto a = on(row.provider, "a", row.a);
    const auto b = on(row.provider, "b", row.b);
    const Witness witness = find(pods(a, b, NetworkRelation::OneRouteTable));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, row.sender);
    EXPECT_EQ(witness.meant, row.meant);
    EXPECT_EQ(witness.lands, row.lands);
    expect_reason(witness);
  }
}

TEST(WitnessInOneTable, OverlayPodsDoNotReachRoutedPods) {
  for (const Provider provider : kClouds) {
    if (provider == Provider::AliCloud) continue;  // It writes routes beside an overlay.
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto overlay = overlay_on(provider, "o");
    const Witness witness = find(pods(a, overlay, NetworkRelation::OneRouteTable));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, "garden-o/o node-1/pod-0");
    EXPECT_EQ(witness.meant, "garden-a/a node-2/pod-0");
    EXPECT_EQ(witness.lands, "garden-o/o node-2/pod-0");
    expect_reason(witness);
  }
}

/// Where controllers delete each other's routes no pod CIDRs have to meet: the larger range's nodes
/// are far from the smaller one, whose routes are gone all the same.
TEST(WitnessInOneTable, DeletedRoutesNeedNoAssumption) {
  const auto large = routed_shoot();
  for (const Provider provider : {Provider::Aws, Provider::Azure, Provider::OpenStack}) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", large, {.pods = "10.160.0.0/16"});
    const auto b = on(provider, "b", large, {.pods = "10.160.128.0/17"});
    for (const Case& overlap : {pods(a, b, NetworkRelation::OneRouteTable, "10.160.128.0/17"),
                                pods(b, a, NetworkRelation::OneRouteTable, "10.160.128.0/17")}) {
      const Witness witness = find(overlap);
      EXPECT_TRUE(witness.wrong);
      EXPECT_EQ(witness.sender, "garden-b/b node-1/pod-0");
      EXPECT_EQ(witness.meant, "garden-b/b node-2/pod-0");
      EXPECT_TRUE(witness.drop) << witness.lands;
      EXPECT_THAT(witness.assumptions, Not(Contains(HasSubstr("has allocated"))));
      EXPECT_THAT(witness.assumptions,
                  Contains(HasSubstr("the route controller of garden-a/a passed last")));
    }
  }
  const auto a = on(Provider::Gcp, "a", large, {.pods = "10.160.0.0/16"});
  const auto b = on(Provider::Gcp, "b", large, {.pods = "10.160.128.0/17"});
  EXPECT_THAT(find(pods(a, b, NetworkRelation::OneRouteTable, "10.160.128.0/17")).assumptions,
              Contains(HasSubstr("has allocated pod CIDRs up to")));
}

/// So a witness shows what the overlap does, and not what would not work without it.
TEST(WitnessInOneTable, AllPacketsArriveWithDisjointRanges) {
  std::size_t asked = 0;
  for (const Provider provider : kClouds) {
    const auto a = on(provider, "a", routed_shoot());
    const auto routed = on(provider, "b", routed_shoot(), kApart);
    const auto encrypted =
        on(provider, "e", graph::testing::encrypted(cilium_native_shoot()), kApart);
    const auto overlay = overlay_on(provider, "o");
    for (const Case& overlap :
         {pods(a, routed, NetworkRelation::OneRouteTable, "10.96.0.0/11"),
          pods(a, encrypted, NetworkRelation::OneRouteTable, "10.96.0.0/11"),
          pods(overlay, routed, NetworkRelation::OneRouteTable, "10.96.0.0/11"),
          pods(a, routed, NetworkRelation::OneNetwork, "10.96.0.0/11")})
      for (const Case& view : views(overlap)) {
        const auto world = make_world(view);
        ASSERT_TRUE(world) << world.error().to_string();
        for (const Question& question : questions(*world, view)) {
          const path::Trace trace = path::trace(world->states, question.request);
          ASSERT_FALSE(trace.arrived.empty())
              << to_string(provider) << ' ' << question.sender << " to " << question.meant;
          EXPECT_EQ(trace.arrived.front().place, question.meant) << question.sender;
          ++asked;
        }
      }
  }
  EXPECT_GT(asked, 50u);
}

}  // namespace route_table_test
}  // namespace overlane::witness
