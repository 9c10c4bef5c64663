#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/derive/derive.h"
#include "topologies/derive/testing/outline_differences.h"
#include "topologies/document/read/read.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::derive {
namespace outline_test {

using manifest::testing::ShootText;

manifest::ManifestSet set_of(const ShootText& shoot) {
  return manifest::decode(document::parse(shoot.yaml(), "x.yaml"));
}

/// Cases of the truth tables are in truth_table_test.cpp and families_test.cpp.
TEST(Outline, AgreesWithDeriveForEveryExampleManifest) {
  const std::string folder = source_file("topologies/library/manifests");
  std::size_t shoots = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(file.path().string());
    auto stream = document::read(file.path().string());
    ASSERT_TRUE(stream);
    DeriveOptions options;
    take_network_providers(*stream, options.declarative);
    for (const manifest::PodNetworkSpec& spec : manifest::decode(*stream).clusters) {
      const auto network = derive(spec, options);
      ASSERT_TRUE(network) << network.error().to_string();
      EXPECT_EQ(testing::differences(outline(spec, options), *network), "");
      ++shoots;
    }
  }
  EXPECT_GE(shoots, 20u);
}

struct RefusedCase {
  const char* what;
  ShootText shoot;
  bool has_network;
};

TEST(Outline, OfARefusedShootHasRangesAndDomain) {
  const RefusedCase rows[] = {
      {"an overlay that azure refuses",
       {.provider = "azure", .config = "{overlay: {enabled: true}}"},
       true},
      {"a mask that no pod range has room for",
       {.kubernetes = "{kubeControllerManager: {nodeCIDRMaskSize: -7}}"},
       true},
      {"a NetworkConfig that cannot be decoded", {.config = "{backend: calico}"}, false},
      {"a combination in no row", {.provider = "equinix", .config = "{backend: vxlan}"}, false},
      {"an unknown network type", {.type = "weave"}, false},
      {"an IPv6 shoot without ranges",
       {.provider = "gcp", .networking = "ipFamilies: [IPv6]"},
       true},
  };
  for (RefusedCase row : rows) {
    SCOPED_TRACE(row.what);
    if (row.shoot.networking.empty()) row.shoot.networking = "pods: 10.0.0.0/16";
    const manifest::ManifestSet set = set_of(row.shoot);
    ASSERT_EQ(set.clusters.size(), 1u);
    const Outline outlined = outline(set.clusters[0], DeriveOptions());
    EXPECT_EQ(outlined.network.has_value(), row.has_network);
    EXPECT_EQ(outlined.addressing.pods.value.size(),
              row.shoot.networking.starts_with("pods") ? 1u : 0u);
    EXPECT_EQ(outlined.routing_domain.value.key, row.shoot.provider + "/shoot/garden-dev/one");
  }
}

TEST(Outline, ReportsAnOverlayBlockThatCannotBeDecoded) {
  for (const char* type : {"calico", "cilium"})
    for (const char* config :
         {"{overlay: true}", "{overlay: {enabled: 'yes'}}", "{overlay: {enabld: true}}",
          "{overlay: {enabled: true, createPodRoutes: 1}}"}) {
      SCOPED_TRACE(std::string(type) + " " + config);
      const manifest::ManifestSet set = set_of({.type = type, .config = config});
      ASSERT_EQ(set.clusters.size(), 1u);
      const Outline outlined = outline(set.clusters[0], DeriveOptions());
      ASSERT_EQ(outlined.config_errors.size(), 1u);
      EXPECT_TRUE(outlined.config_errors[0].path.find("overlay") != std::string::npos)
          << outlined.config_errors[0].to_string();
      EXPECT_FALSE(outlined.network);
      const auto derived = derive(set.clusters[0], DeriveOptions());
      ASSERT_FALSE(derived);
      EXPECT_EQ(derived.error().message, outlined.config_errors[0].message);
    }
}

TEST(Outline, IgnoresAnErrorThatTheCallerIgnores) {
  const manifest::ManifestSet set =
      set_of({.config = "{overlay: {enabled: true}, backend: calico}"});
  ASSERT_EQ(set.clusters.size(), 1u);
  DeriveOptions options;
  options.overlooks = [](const Finding&) { return true; };
  EXPECT_FALSE(outline(set.clusters[0], DeriveOptions()).network);
  ASSERT_TRUE(outline(set.clusters[0], options).network);
  EXPECT_EQ(outline(set.clusters[0], options).network->row, "T2");
}

}  // namespace outline_test
}  // namespace overlane::derive
