#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace seed_test {

using testing::garden_yaml;
using testing::ShootText;

struct SeedCase {
  const char* what;
  const char* networks;
  const char* rule;  ///< "": none.
  const char* path;
};

Findings findings_of(const std::string& yaml) {
  return decode(document::parse(yaml, "x.yaml"), Detail::All).findings;
}

TEST(Seed, ItsRangesAreJudgedAsItsOwnValidationDoes) {
  const SeedCase cases[] = {
      {"disjoint", "pods: 10.1.0.0/16, services: 10.2.0.0/16, nodes: 10.3.0.0/16", "", ""},
      {"pods hold the services", "pods: 10.0.0.0/8, services: 10.2.0.0/16", "seed-ranges-overlap",
       "spec.networks.services"},
      {"a default on its own nodes", "nodes: 100.96.0.0/16, shootDefaults: {pods: 100.96.0.0/11}",
       "seed-ranges-overlap", "spec.networks.shootDefaults.pods"},
      {"two families never overlap", "pods: 10.1.0.0/16, services: 'fd00::/112'", "", ""},
      {"a VPN range", "pods: 244.1.0.0/16", "seed-reserved-range", "spec.networks.pods"},
      {"a default in a VPN range", "shootDefaults: {services: 'fd8f:6d53:b97a:1::/112'}",
       "seed-reserved-range", "spec.networks.shootDefaults.services"},
      {"services of a /7", "services: 10.0.0.0/7", "seed-services-too-large",
       "spec.networks.services"},
      {"services of a /8", "services: 10.0.0.0/8", "", ""},
  };
  for (const SeedCase& one : cases) {
    const std::string seed =
        garden_yaml("Seed", "s", "{networks: {" + std::string(one.networks) + "}}");
    const Findings named = findings_of(ShootText{.spec = "seedName: s"}.yaml() + "---\n" + seed);
    const Findings alone = findings_of(seed);
    ASSERT_EQ(alone.size(), named.size() + 1) << one.what << ": nobody names it, which is a note";
    EXPECT_EQ(named.empty(), std::string(one.rule).empty()) << one.what;
    for (const Finding& finding : named) {
      EXPECT_EQ(finding.rule, one.rule) << one.what;
      EXPECT_EQ(finding.path, one.path) << one.what;
      EXPECT_EQ(finding.object.kind, "Seed") << one.what;
    }
  }
}

TEST(Seed, OneThatWouldBeRefusedGivesItsShootsNothing) {
  const ManifestSet set = decode(document::parse(
      ShootText{.spec = "seedName: s"}.yaml() + "---\n" +
          garden_yaml("Seed", "s", "{networks: {pods: 10.0.0.0/8, services: 10.2.0.0/16}}"),
      "x.yaml"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].seed, nullptr);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "not-admitted");
  EXPECT_THAT(set.findings[0].hint, ::testing::HasSubstr("(rule seed-ranges-overlap)"));
}

}  // namespace seed_test

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

std::string unscheduled(const std::string& spec = "") {
  return ShootText{.provider = "openstack", .spec = spec + "region: eu"}.yaml() + "---\n";
}

std::string seed_of(const std::string& name, const std::string& spec,
                    const std::string& labels = "") {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: " + name +
         ", labels: {" + labels + "}}\nspec: {" + spec + "}\n";
}

constexpr const char* kHere = "provider: {type: openstack, region: eu}";

struct SchedulingRow {
  const char* what;
  std::string shoot;  ///< Further lines of its spec.
  std::string seeds;
  std::vector<std::string> possible;
  std::ptrdiff_t unused = 0;  ///< Seeds that no shoot could get.
};

TEST(Seeds, AShootWithoutOneIsComparedWithThoseThatCouldTakeIt) {
  const std::string labelled = seed_of("a", kHere, "zone: one") + "---\n" + seed_of("b", kHere);
  const SchedulingRow rows[] = {
      {"its provider type and region", "", seed_of("a", kHere), {"a"}},
      {"another provider type", "", seed_of("a", "provider: {type: aws, region: eu}"), {}, 1},
      {"another region", "", seed_of("a", "provider: {type: openstack, region: us}"), {}, 1},
      {"one that takes no shoots",
       "",
       seed_of("a", std::string(kHere) + ", settings: {scheduling: {visible: false}}"),
       {},
       1},
      {"several", "", labelled, {"a", "b"}},
      {"by label", "seedSelector: {matchLabels: {zone: one}}\n  ", labelled, {"a"}, 1},
      {"by an expression",
       "seedSelector: {matchExpressions: [{key: zone, operator: DoesNotExist}]}\n  ",
       labelled,
       {"b"},
       1},
      {"by a list of values",
       "seedSelector: {matchExpressions: [{key: zone, operator: In, values: [one, two]}]}\n  ",
       labelled,
       {"a"},
       1},
      {"by the exclusion of values",
       "seedSelector: {matchExpressions: [{key: zone, operator: NotIn, values: [one]}]}\n  ",
       labelled,
       {"b"},
       1},
      {"of a named provider type",
       "seedSelector: {providerTypes: [aws]}\n  ",
       seed_of("a", "provider: {type: aws, region: eu}"),
       {"a"}},
      {"of any provider type",
       "seedSelector: {providerTypes: ['*']}\n  ",
       seed_of("a", "provider: {type: aws, region: eu}"),
       {"a"}},
      {"inside a ManagedSeed",
       "",
       managed_seed("seedConfig: {spec: {" + std::string(kHere) + "}}"),
       {"a"}},
      {"its own seed alone", "seedName: b\n  ", labelled, {}, 1},
  };
  for (const SchedulingRow& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(unscheduled(row.shoot) + row.seeds);
    ASSERT_EQ(set.clusters.size(), 1u);
    std::vector<std::string> possible;
    for (const auto& seed : set.clusters[0].possible_seeds)
      possible.push_back(seed->name);
    EXPECT_EQ(possible, row.possible);
    EXPECT_EQ(std::ranges::count(set.findings, "unused-document", &Finding::rule), row.unused);
  }
}

}  // namespace seeds_test

}  // namespace overlane::manifest
