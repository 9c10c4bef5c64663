#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {
namespace seeds_test {

using testing::cluster_yaml;
using testing::garden_yaml;
using ::testing::HasSubstr;
using testing::ShootText;

const std::string kShoot = ShootText{.spec = "seedName: a"}.yaml() + "---\n";

ManifestSet decode_text(const std::string& text, Detail detail = Detail::Summary) {
  return decode(document::parse(text, "x.yaml"), detail);
}

std::string defaults(const std::string& pods) {
  return "{networks: {shootDefaults: {pods: " + pods + "}}}";
}

std::string managed_seed(const std::string& config) {
  return "apiVersion: seedmanagement.gardener.cloud/v1alpha1\nkind: ManagedSeed\n"
         "metadata: {name: a, namespace: garden}\n"
         "spec: {shoot: {name: b}, gardenlet: {config: {" +
         config + "}}}\n";
}

TEST(Seeds, AManagedSeedHoldsTheSeedOfItsName) {
  const ManifestSet set =
      decode_text(kShoot + managed_seed("seedConfig: {spec: " + defaults("10.0.0.0/16") + "}"));
  ASSERT_EQ(set.clusters.size(), 1u);
  ASSERT_TRUE(set.clusters[0].seed);
  EXPECT_EQ(set.clusters[0].seed->name, "a");
  EXPECT_EQ(set.clusters[0].seed->default_pods->path,
            "spec.gardenlet.config.seedConfig.spec.networks.shootDefaults.pods");
  EXPECT_EQ(set.clusters[0].sources.at(1).object.kind, "ManagedSeed");
  EXPECT_TRUE(set.findings.empty());
}

TEST(Seeds, TheSeedItselfCountsMoreThanItsManagedSeed) {
  const ManifestSet set =
      decode_text(kShoot + managed_seed("seedConfig: {spec: " + defaults("10.0.0.0/16") + "}") +
                  "---\n" + garden_yaml("Seed", "a", defaults("10.1.0.0/16")));
  ASSERT_TRUE(set.clusters.at(0).seed);
  EXPECT_EQ(set.clusters[0].seed->default_pods->value.to_string(), "10.1.0.0/16");
}

TEST(Seeds, AManagedSeedWithoutASeedsConfigSaysNothing) {
  EXPECT_FALSE(decode_text(kShoot + managed_seed("")).clusters.at(0).seed);
}

TEST(Seeds, OneThatAClusterEmbedsWithoutANameIsNamedAfterIt) {
  const ManifestSet set = decode_text(cluster_yaml(
      "{shoot: {spec: {networking: {type: calico}}}, seed: {spec: " + defaults("10.0.0.0/16") +
      "}, cloudProfile: {spec: {limits: {maxNodesTotal: "
      "3}}}}"));
  const PodNetworkSpec& spec = set.clusters.at(0);
  ASSERT_TRUE(spec.seed && spec.cloud_profile);
  EXPECT_EQ(spec.seed->name, "of the Cluster shoot--dev--one");
  EXPECT_EQ(spec.cloud_profile->kind, "CloudProfile");
  EXPECT_EQ(spec.cloud_profile->name, "of the Cluster shoot--dev--one");
}

TEST(Seeds, BadValuesOfOneThatAClusterEmbedsAreReported) {
  const std::string cluster = cluster_yaml(
      "{shoot: {spec: {provider: {type: gcp}, networking: {type: calico}}}, "
      "seed: {spec: " +
      defaults("10.0.0.5/16") + "}}");
  const ManifestSet all = decode_text(cluster, Detail::All);
  ASSERT_EQ(all.findings.size(), 1u);
  EXPECT_EQ(all.findings[0].rule, "invalid-cidr");
  EXPECT_THAT(all.findings[0].path, HasSubstr("spec.seed.spec.networks"));
  EXPECT_EQ(all.findings[0].object.kind, "Cluster");
  const ManifestSet summary = decode_text(cluster);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].rule, "not-admitted");
  EXPECT_FALSE(summary.clusters.at(0).seed);
}

}  // namespace seeds_test
}  // namespace overlane::manifest
