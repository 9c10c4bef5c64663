#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace grouping_test {

using testing::cluster_yaml;
using ::testing::ElementsAre;
using testing::extension_yaml;
using testing::garden_yaml;
using ::testing::HasSubstr;
using testing::network_yaml;
using testing::ShootText;

ManifestSet decode_files(std::initializer_list<std::string> texts) {
  document::Stream stream;
  for (const std::string& text : texts)
    stream.append(
        document::parse(text, "file" + std::to_string(stream.documents.size()) + ".yaml"));
  return decode(stream);
}

ManifestSet decode_text(const std::string& text) {
  return decode(document::parse(text, "x.yaml"));
}

std::vector<std::string> rules_of(const ManifestSet& set) {
  std::vector<std::string> rules;
  for (const Finding& finding : set.findings)
    rules.push_back(finding.rule);
  return rules;
}

std::string embedded(const std::string& shoot) {
  return cluster_yaml("{shoot: {" + shoot + "}}");
}

std::string provider_of_network(const ManifestSet& set) {
  for (const PodNetworkSpec& spec : set.clusters)
    if (spec.object.kind == "Network")
      return spec.shoot.provider ? spec.shoot.provider->value : "unknown";
  return "no network";
}

TEST(Grouping, ANetworkTakesProviderNodesAndWorkersFromItsCluster) {
  const ManifestSet set = decode_text(
      embedded("spec: {provider: {type: gcp, workers: [{name: w, minimum: 2, maximum: 3}]},"
               " networking: {nodes: 10.0.0.0/16}}") +
      "---\n" + network_yaml("calico", ""));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_TRUE(set.findings.empty());
  const PodNetworkSpec& spec = set.clusters[0];
  EXPECT_EQ(spec.object.kind, "Network");
  EXPECT_EQ(spec.shoot.provider->value, "gcp");
  EXPECT_EQ(spec.shoot.nodes->value.to_string(), "10.0.0.0/16");
  ASSERT_EQ(spec.shoot.workers.size(), 1u);
  EXPECT_EQ(spec.shoot.workers[0].minimum, 2);
}

TEST(Grouping, AClusterOfAnotherNamespaceIsNotJoined) {
  const ManifestSet set = decode_text(embedded("spec: {provider: {type: gcp}}") + "---\n" +
                                      network_yaml("calico", "", "shoot--dev--two"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_FALSE(set.clusters[0].shoot.provider);
  EXPECT_THAT(rules_of(set), ElementsAre("unsupported-fragment"));
}

TEST(Grouping, TheDocumentOfTheSameFileIsPreferred) {
  const std::string gcp = embedded("spec: {provider: {type: gcp}}");
  const std::string aws = embedded("spec: {provider: {type: aws}}");
  const std::string network = network_yaml("calico", "");
  EXPECT_EQ(provider_of_network(decode_files({gcp + "---\n" + network, aws})), "gcp");
  EXPECT_EQ(provider_of_network(decode_files({aws, gcp + "---\n" + network})), "gcp");
  EXPECT_EQ(provider_of_network(decode_files({gcp, network})), "gcp");
  EXPECT_EQ(provider_of_network(decode_files({gcp, aws, network})), "unknown");
}

TEST(Grouping, OfTwoLandscapesNothingIsMixed) {
  const auto landscape = [](const std::string& provider) {
    return ShootText{.provider = provider}.yaml() + "---\n" + network_yaml("calico", "") + "---\n" +
           extension_yaml("Infrastructure", "spec: {type: " + provider + "}\n");
  };
  const ManifestSet set = decode_files({landscape("aws"), landscape("gcp")});
  EXPECT_THAT(rules_of(set), ElementsAre("duplicate-object"));
  EXPECT_EQ(set.findings[0].severity, Severity::Note);
  ASSERT_EQ(set.clusters.size(), 2u);
  for (const PodNetworkSpec& spec : set.clusters)
    EXPECT_EQ(spec.sources.size(), 3u);
}

TEST(Grouping, TwoVersionsOfAShootShareTheirContextButNotTheirNetwork) {
  const ManifestSet set = decode_files(
      {ShootText{}.yaml(), ShootText{.config = "{overlay: {enabled: true}}"}.yaml(),
       extension_yaml("Infrastructure", "spec: {type: aws}\n"), network_yaml("calico", "")});
  ASSERT_EQ(set.clusters.size(), 3u);
  for (const PodNetworkSpec& spec : set.clusters)
    EXPECT_EQ(spec.sources.size(), 2u) << spec.object.kind;
}

TEST(Grouping, WhatHasAShootInItsOwnFileIsNotTakenByAnother) {
  const std::string network = network_yaml("calico", "");
  const std::string worker = extension_yaml("Worker", "spec: {type: gcp}\n");
  const std::string cluster = embedded("spec: {provider: {type: gcp}}");
  const std::string shoot = ShootText{.provider = "gcp"}.yaml();
  const std::pair<std::string, std::string> rows[] = {{network, worker + "---\n" + network},
                                                      {network, cluster + "---\n" + network},
                                                      {shoot, worker + "---\n" + shoot}};
  for (const auto& [alone, together] : rows) {
    const ManifestSet set = decode_files({alone, together});
    ASSERT_EQ(set.clusters.size(), 2u);
    EXPECT_EQ(set.clusters[0].sources.size(), 1u);
    EXPECT_EQ(set.clusters[1].sources.size(), 2u);
  }
}

TEST(Grouping, AClusterThatDoesNotFitIsNotJoinedAndAnswersForItself) {
  const std::string provider = "provider: {type: gcp}";
  const std::string network = "---\n" + network_yaml("calico", "");
  const ManifestSet old = decode_text(
      embedded("apiVersion: garden.sapcloud.io/v1alpha1, spec: {" + provider + "}") + network);
  EXPECT_EQ(provider_of_network(old), "unknown");
  EXPECT_THAT(rules_of(old), ElementsAre("unsupported-api-version"));
  const ManifestSet other =
      decode_text(embedded("spec: {" + provider + ", networking: {type: flannel}}") + network);
  EXPECT_EQ(provider_of_network(other), "unknown");
  EXPECT_EQ(other.clusters.size(), 2u);
  const ManifestSet renamed = decode_text(
      embedded("metadata: {name: two, namespace: garden-dev}, spec: {networking: {type: calico}}") +
      "---\n" + ShootText{}.yaml());
  EXPECT_EQ(renamed.clusters.size(), 2u);
}

TEST(Grouping, ASecondObjectOfTheSameNameIsReported) {
  const ManifestSet set =
      decode_text(embedded("spec: {provider: {type: gcp}}") + "---\n" +
                  embedded("spec: {provider: {type: aws}}") + "---\n" + network_yaml("calico", ""));
  EXPECT_EQ(provider_of_network(set), "gcp");
  EXPECT_THAT(rules_of(set), ElementsAre("duplicate-object"));
  EXPECT_EQ(set.findings[0].place.line, 6);
  const std::string worker = extension_yaml("Worker", "spec: {type: aws}\n");
  EXPECT_THAT(rules_of(decode_text(ShootText{}.yaml() + "---\n" + worker + "---\n" + worker)),
              ElementsAre("duplicate-object"));
}

TEST(Grouping, OfTwoShootsOrNetworksOfANameInAFileTheFirstCounts) {
  const std::string aws = ShootText{}.yaml();
  const std::string gcp = ShootText{.provider = "gcp"}.yaml();
  const std::string network = network_yaml("calico", "");
  for (const auto& [first, second] : {std::pair{aws, gcp}, std::pair{network, network}}) {
    const ManifestSet set = decode_text(first + "---\n" + second);
    EXPECT_EQ(set.clusters.size(), 1u);
    ASSERT_THAT(rules_of(set), ElementsAre("duplicate-object"));
    EXPECT_EQ(set.findings[0].severity, Severity::Error);
    EXPECT_THAT(set.findings[0].message, HasSubstr("of this name before, in line 1"));
  }
  const ManifestSet apart = decode_files({aws, gcp});
  EXPECT_EQ(apart.clusters.size(), 2u);
  ASSERT_THAT(rules_of(apart), ElementsAre("duplicate-object"));
  EXPECT_EQ(apart.findings[0].severity, Severity::Note);
  EXPECT_THAT(apart.findings[0].message, HasSubstr("(file0.yaml:1:1)"));
}

TEST(Grouping, APatchThatTakesTheNetworkTypeAwayIsNamed) {
  for (const char* networking : {"{networking: {type: null}}", "{networking: null}"}) {
    SCOPED_TRACE(networking);
    const ManifestSet set =
        decode_text(ShootText{}.yaml() +
                    "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
                    "metadata: {name: one, namespace: garden-dev}\nspec: " +
                    networking + "\n");
    EXPECT_TRUE(set.clusters.empty());
    ASSERT_THAT(rules_of(set), ElementsAre("patch-applied", "unsupported-fragment"));
    EXPECT_EQ(set.findings[1].place.line, 10);
    EXPECT_THAT(set.findings[1].message, HasSubstr("with its patches"));
  }
}

struct Unused {
  const char* what;
  std::string document;
  const char* rule;
  Severity severity;
  const char* message;
};

TEST(Grouping, WhatNoShootUsesIsNamedOnce) {
  const Unused rows[] = {
      {"a Seed that no shoot names", garden_yaml("Seed", "other", "{}"), "unused-document",
       Severity::Note, "other: no given shoot names this Seed"},
      {"a CloudProfile that no shoot names", garden_yaml("CloudProfile", "other", "{}"),
       "unused-document", Severity::Note, "other: no given shoot names this CloudProfile"},
      {"an Infrastructure of another shoot",
       "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Infrastructure\n"
       "metadata: {name: i, namespace: shoot--a--b}\nspec: {type: aws}\n",
       "unused-document", Severity::Note,
       "shoot--a--b/i: the shoot of this Infrastructure is not given"},
      {"a Worker without a namespace",
       "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Worker\nmetadata: {name: w}\n",
       "unused-document", Severity::Note, "w: the shoot of this Worker is not given"},
      {"an Infrastructure of an API to come",
       "apiVersion: extensions.gardener.cloud/v1\nkind: Infrastructure\n",
       "unsupported-api-version", Severity::Note, "extensions.gardener.cloud/v1"},
      {"a Cluster without a shoot",
       "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
       "spec: {}\n",
       "unsupported-fragment", Severity::Error, "c: the Cluster embeds no shoot"},
  };
  for (const Unused& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(ShootText{}.yaml() + "---\n" + row.document);
    EXPECT_EQ(set.clusters.size(), 1u);
    ASSERT_THAT(rules_of(set), ElementsAre(row.rule));
    EXPECT_EQ(set.findings[0].severity, row.severity);
    EXPECT_THAT(set.findings[0].message, HasSubstr(row.message));
  }
}

TEST(Grouping, AnUnfinishedSeedIsNamedAndTextsThatNobodyReadsMayHoldAnything) {
  const std::string shoot = ShootText{.spec = "seedName: a"}.yaml() + "---\n";
  const ManifestSet unfinished = decode_text(
      shoot + garden_yaml("Seed", "a", "{networks: {shootDefaults: {pods: <some-range>}}}"));
  ASSERT_EQ(unfinished.clusters.size(), 1u);
  EXPECT_FALSE(unfinished.clusters[0].seed);
  EXPECT_THAT(rules_of(unfinished), ElementsAre("placeholder"));
  const ManifestSet sound = decode_text(
      shoot + garden_yaml("Seed", "a", "{dns: {note: 'see <domain> and ${x}'}, networks: {}}"));
  ASSERT_EQ(sound.clusters.size(), 1u);
  EXPECT_TRUE(sound.clusters[0].seed);
  EXPECT_TRUE(sound.findings.empty());
}

TEST(Grouping, WithoutANetworkTypeEveryDocumentIsNamed) {
  const ManifestSet set =
      decode_text(embedded("status: {lastOperation: {state: Succeeded}}") + "---\n" +
                  extension_yaml("Infrastructure", "spec: {type: aws}\n"));
  EXPECT_TRUE(set.clusters.empty());
  EXPECT_THAT(rules_of(set), ElementsAre("unsupported-fragment", "unused-document"));
}

TEST(Grouping, NothingIsGuessedBetweenTwoCandidates) {
  const ManifestSet set =
      decode_files({garden_yaml("Seed", "a", "{}"), garden_yaml("Seed", "a", "{}"),
                    ShootText{.spec = "seedName: a"}.yaml()});
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_FALSE(set.clusters[0].seed);
  EXPECT_THAT(rules_of(set), ElementsAre("ambiguous-document", "ambiguous-document"));
}

TEST(Grouping, ManyObjectsOfAForeignKindAreNamedTogether) {
  std::string text = ShootText{}.yaml();
  for (const char* kind : {"Secret", "ConfigMap", "Secret", "Secret", "Secret"})
    text += std::string("---\napiVersion: v1\nkind: ") + kind +
            "\nmetadata: {name: n}\ndata: {key: aHVudGVyMg==}\n";
  const ManifestSet set = decode_text(text);
  ASSERT_THAT(rules_of(set), ElementsAre("unsupported-kind", "unsupported-kind"));
  EXPECT_EQ(set.findings[0].message,
            "4 objects of kind Secret do not describe a pod network; ignored");
  EXPECT_EQ(set.findings[1].message, "n: kind ConfigMap does not describe a pod network; ignored");
}

}  // namespace grouping_test

}  // namespace overlane::manifest
