#include "topologies/library/library.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::derive {
namespace library_test {

manifest::ManifestSet gardenet_shoot() {
  return manifest::decode(document::parse(
      manifest::testing::ShootText{.type = "gardenet", .config = "{overlay: {enabled: true}}"}
          .yaml(),
      "x.yaml"));
}

TEST(Library, NamesTheFileThatDescribesTheNetworkType) {
  const manifest::ManifestSet set = gardenet_shoot();
  const Findings findings = examine(set.clusters.at(0), DeriveOptions()).findings;
  const auto unknown = std::ranges::find(findings, "unsupported-cni", &Finding::rule);
  ASSERT_NE(unknown, findings.end());
  EXPECT_EQ(unknown->hint,
            "add the argument gardenet: the library has a NetworkProvider file of that name");
}

TEST(Library, ReadsANetworkProviderByItsName) {
  auto stream = topology_library::read_manifests("gardenet");
  ASSERT_TRUE(stream) << stream.error().to_string();
  DeriveOptions options;
  take_network_providers(*stream, options.declarative);
  EXPECT_TRUE(stream->findings.empty());
  const manifest::ManifestSet set = gardenet_shoot();
  const auto network = derive(set.clusters.at(0), options);
  ASSERT_TRUE(network) << network.error().to_string();
  EXPECT_FALSE(network->opaque);
}

TEST(Library, ReadsItByNameWhereAFileElsewhereNamesIt) {
  EXPECT_TRUE(topology_library::read_manifests_named("gardenet", "folder/gardenet"));
  EXPECT_FALSE(topology_library::read_manifests_named("folder/gardenet", "folder/gardenet"));
}

TEST(Library, ReadsAShootAndATopologyByTheirNames) {
  const auto shoot = topology_library::read_manifests_named("shoot-aws", "folder/shoot-aws");
  ASSERT_TRUE(shoot) << shoot.error().to_string();
  EXPECT_EQ(manifest::decode(*shoot).clusters.size(), 1u);
  const auto topology =
      topology_library::read_topology_named("aws-two-zones", "folder/aws-two-zones");
  ASSERT_TRUE(topology) << topology.error().to_string();
  EXPECT_EQ(topology->root()["kind"].text(), "Topology");
  const auto unknown =
      topology_library::read_topology_named("aws-three-zones.yaml", "folder/aws-three-zones.yaml");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint.find("a name of the library: aws-two-zones, "), std::string::npos)
      << unknown.error().hint;
  EXPECT_FALSE(topology_library::read_topology_named("shoot-aws", "folder/shoot-aws"));
}

TEST(Library, SuggestsTheTypeThatAMisspeltOneIsCloseTo) {
  for (const auto& [type, hint] :
       {std::pair{"calicoo", "did you mean calico?"}, std::pair{"celium", "did you mean cilium?"},
        std::pair{"gardnet", "did you mean gardenet?"}})
    EXPECT_EQ(topology_library::describe_network_type(type), hint);
  EXPECT_EQ(topology_library::meant_network_type("weave"), "");
}

TEST(Library, ReadsNoOtherFileByName) {
  EXPECT_FALSE(topology_library::library_network_provider("leaf-spine"));
  EXPECT_FALSE(topology_library::library_network_provider("weave"));
  EXPECT_FALSE(topology_library::read_manifests("leaf-spine"));
}

}  // namespace library_test
}  // namespace overlane::derive
