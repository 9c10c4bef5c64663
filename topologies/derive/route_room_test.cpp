#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::derive {
namespace route_room_test {

effective::RouteRoom room_of(const char* provider, const DeriveOptions& options) {
  const manifest::testing::ShootText shoot{.provider = provider};
  const auto spec = manifest::decode(document::parse(shoot.yaml(), "x.yaml")).clusters.at(0);
  return derive(spec, options)->route_room;
}

TEST(RouteRoom, IsTheUsualQuotaWithItsSource) {
  const effective::RouteRoom openstack = room_of("openstack", {});
  EXPECT_EQ(openstack.routes, 512);
  EXPECT_EQ(openstack.source.text(), "sapcc/helm-charts openstack/neutron/values.yaml");
  EXPECT_FALSE(openstack.is_set);
  EXPECT_EQ(room_of("aws", {}).routes, 500);
}

TEST(RouteRoom, IsUnknownWithoutASource) {
  for (const char* provider : {"alicloud", "metal", "equinix"}) {
    EXPECT_EQ(room_of(provider, {}).routes, 0) << provider;
    EXPECT_EQ(room_of(provider, {}).source.text(), "not known") << provider;
  }
}

TEST(RouteRoom, IsAnAssumptionWhereARouteTableHasNoKnownQuota) {
  const auto is_assumed = [](const char* provider) {
    const manifest::testing::ShootText shoot{.provider = provider};
    const auto spec = manifest::decode(document::parse(shoot.yaml(), "x.yaml")).clusters.at(0);
    const auto reasons = derive(spec, {})->reasons;
    const auto reason = std::ranges::find(reasons, "route_quota", &effective::Reason::field);
    return reason != reasons.end() && reason->assumed && reason->value == "no limit";
  };
  EXPECT_TRUE(is_assumed("equinix"));
  EXPECT_TRUE(is_assumed("stackit"));
  EXPECT_FALSE(is_assumed("aws")) << "its quota is known";
  EXPECT_FALSE(is_assumed("metal")) << "no route table holds pod routes";
}

TEST(RouteRoom, IsSetByTheLandscapeForOneProvider) {
  DeriveOptions options;
  options.landscape.route_quotas[effective::Provider::AliCloud] = 48;
  const effective::RouteRoom room = room_of("alicloud", options);
  EXPECT_EQ(room.routes, 48);
  EXPECT_EQ(room.source.text(), "the landscape's operator: as the settings say");
  EXPECT_TRUE(room.is_set);
  EXPECT_EQ(room_of("aws", options).routes, 500);
}

}  // namespace route_room_test
}  // namespace overlane::derive
