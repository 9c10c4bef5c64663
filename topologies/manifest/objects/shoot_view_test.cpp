#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace wrappers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ShootText;

ManifestSet decode_text(const std::string& text) {
  return decode(document::parse(text, "x.yaml"));
}

std::vector<std::string> rules_of(const ManifestSet& set) {
  std::vector<std::string> rules;
  for (const Finding& finding : set.findings)
    rules.push_back(finding.rule);
  return rules;
}

constexpr const char* kManagedSeedSet = R"(apiVersion: seedmanagement.gardener.cloud/v1alpha1
kind: ManagedSeedSet
metadata: {name: botany, namespace: garden, uid: 1-2}
spec:
  replicas: 3
  template: {metadata: {labels: {foo: bar}}}
  shootTemplate:
    metadata: {labels: {foo: bar}}
    spec:
      provider: {type: gcp, workers: [{name: w, minimum: 1, maximum: 3}]}
      networking: {type: calico, pods: 10.0.0.0/16}
)";

constexpr const char* kRuntime = R"(apiVersion: infrastructuremanager.kyma-project.io/v1
kind: Runtime
metadata: {name: 1-2-3, namespace: kcp-system, uid: 4-5}
spec:
  shoot:
    name: kyma
    purpose: production
    platformRegion: cf-eu11
    region: eu-central-1
    licenceType: LicenceType
    secretBindingName: binding
    enforceSeedLocation: true
    kubernetes: {version: "1.30"}
    provider:
      type: aws
      workers: [{name: a, minimum: 1, maximum: 3}]
      additionalWorkers: [{name: b, minimum: 2, maximum: 4}]
    networking: {type: cilium, pods: 10.0.0.0/16, services: 10.1.0.0/16, nodes: 10.2.0.0/16}
  security: {administrators: [a@example.com]}
)";

struct FieldRow {
  const char* text;
  std::function<std::string(const PodNetworkSpec&)> field;
  const char* value;
};

TEST(Wrappers, HoldAShoot) {
  const FieldRow rows[] = {
      {kManagedSeedSet, [](const auto& s) { return s.object.qualified(); }, "garden/botany-0"},
      {kManagedSeedSet, [](const auto& s) { return s.object.kind; }, "Shoot"},
      {kManagedSeedSet, [](const auto& s) { return s.sources.at(0).object.kind; },
       "ManagedSeedSet"},
      {kManagedSeedSet, [](const auto& s) { return s.pods->path; },
       "spec.shootTemplate.spec.networking.pods"},
      {kManagedSeedSet, [](const auto& s) { return s.shoot.provider->value; }, "gcp"},
      {kManagedSeedSet, [](const auto& s) { return s.live ? s.live->value : "to be created"; },
       "to be created"},
      {kRuntime, [](const auto& s) { return s.object.qualified(); }, "kyma"},
      {kRuntime, [](const auto& s) { return s.type.value; }, "cilium"},
      {kRuntime, [](const auto& s) { return s.shoot.nodes->path; }, "spec.shoot.networking.nodes"},
      {kRuntime, [](const auto& s) { return s.shoot.credentials->value; }, "binding"},
      {kRuntime, [](const auto& s) { return s.shoot.workers.at(1).name; }, "b"},
      {kRuntime, [](const auto& s) { return s.live ? s.live->value : "to be created"; },
       "to be created"},
  };
  for (const FieldRow& row : rows) {
    const ManifestSet set = decode_text(row.text);
    EXPECT_THAT(rules_of(set), IsEmpty());
    ASSERT_EQ(set.clusters.size(), 1u);
    EXPECT_EQ(row.field(set.clusters[0]), row.value);
  }
}

TEST(Wrappers, WithoutANetworkTypeTheyAreFragments) {
  for (auto [text, field] :
       {std::pair(std::string(kManagedSeedSet), "no spec.shootTemplate.spec.networking.type"),
        std::pair(std::string(kRuntime), "no spec.shoot.networking.type")}) {
    text.erase(text.find("    networking:") + 4,
               text.find('\n', text.find("networking: {type")) - text.find("    networking:") - 4);
    const ManifestSet set = decode_text(text);
    ASSERT_THAT(rules_of(set), ElementsAre("unsupported-fragment")) << text;
    EXPECT_THAT(set.findings[0].message, ::testing::HasSubstr(field));
  }
}

std::string patch(const std::string& metadata, const std::string& spec) {
  return "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {" + metadata +
         "}\nspec: {" + spec + "}\n";
}

TEST(Patches, AreLaidOverTheShootOfTheirName) {
  const std::string shoot = ShootText{.networking = "pods: 10.0.0.0/16"}.yaml();
  for (const char* metadata : {"name: one", "name: one, namespace: garden-dev"}) {
    for (const bool first : {false, true}) {
      const std::string change = patch(
          metadata, "region: eu-west-1, networking: {pods: 10.1.0.0/16}, provider: {type: gcp}");
      const ManifestSet set = decode_text(first ? change + "---\n" + shoot : shoot + change);
      EXPECT_THAT(rules_of(set), ElementsAre("patch-applied"));
      EXPECT_EQ(set.findings.at(0).severity, Severity::Note);
      ASSERT_EQ(set.clusters.size(), 1u);
      const PodNetworkSpec& spec = set.clusters[0];
      EXPECT_EQ(spec.pods->value.to_string(), "10.1.0.0/16");
      EXPECT_EQ(spec.type.value, "calico");
      EXPECT_EQ(spec.shoot.provider->value, "gcp");
      EXPECT_EQ(spec.pods->place.line, first ? 5 : 14);
      EXPECT_EQ(spec.sources.size(), 2u);
    }
  }
}

TEST(Patches, AreAppliedOneAfterTheOther) {
  const ManifestSet set =
      decode_text(ShootText{}.yaml() + patch("name: one", "networking: {pods: 10.1.0.0/16}") +
                  patch("name: one", "networking: {pods: 10.2.0.0/16}, seedName: a") + "---\n" +
                  testing::garden_yaml("Seed", "a", "{}"));
  EXPECT_THAT(rules_of(set), ElementsAre("patch-applied", "patch-applied"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].pods->value.to_string(), "10.2.0.0/16");
  EXPECT_TRUE(set.clusters[0].seed);
}

TEST(Patches, OfAnotherNameOrOfSeveralShootsAreNamed) {
  const std::string shoot = ShootText{}.yaml();
  const std::string change = "networking: {pods: 10.1.0.0/16}";
  EXPECT_THAT(rules_of(decode_text(shoot + patch("name: two", change))),
              ElementsAre("unsupported-fragment"));
  EXPECT_THAT(rules_of(decode_text(shoot + patch("name: one, namespace: other", change))),
              ElementsAre("unsupported-fragment"));
  std::string namesake = shoot;
  namesake.replace(namesake.find("garden-dev"), 10, "garden-two");
  const ManifestSet two = decode_text(shoot + "---\n" + namesake + patch("name: one", change));
  EXPECT_EQ(two.clusters.size(), 2u);
  EXPECT_THAT(rules_of(two), ElementsAre("ambiguous-document"));
}

}  // namespace wrappers_test

}  // namespace overlane::manifest
