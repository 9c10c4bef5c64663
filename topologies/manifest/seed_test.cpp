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
}  // namespace overlane::manifest
