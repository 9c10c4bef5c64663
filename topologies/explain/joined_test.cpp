#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/explain/explanation.h"
#include "topologies/explain/testing/rendered.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::StageChoice;
namespace joined_test {

using explain::testing::rendered;
using manifest::testing::extension_yaml;
using manifest::testing::garden_yaml;
using manifest::testing::network_yaml;
using manifest::testing::ShootText;
using ::testing::HasSubstr;
using ::testing::Not;

Explanation explain_text(const std::string& yaml) {
  return explain(document::parse(yaml, "x.yaml"), StageChoice::Auto);
}

const effective::Reason& reason_of(const Explanation& explanation, const std::string& field) {
  const auto& reasons = explanation.networks.at(0).reasons;
  return *std::ranges::find(reasons, field, &effective::Reason::field);
}

struct Joined {
  const char* what;
  ShootText shoot;
  std::string document;
  const char* field;
  const char* value;
  const char* because;
  bool assumed;
};

TEST(JoinedDocuments, DecideWhatTheShootLeavesOpen) {
  const std::string seed = garden_yaml(
      "Seed", "a", "{networks: {shootDefaults: {pods: 10.8.0.0/13, services: 10.4.0.0/16}}}");
  const std::string profile = garden_yaml("CloudProfile", "p", "{limits: {maxNodesTotal: 7}}");
  const Joined rows[] = {
      {"pods by the seed",
       {.spec = "seedName: a"},
       seed,
       "pods",
       "10.8.0.0/13",
       "its seed a does: spec.networks.shootDefaults.pods",
       false},
      {"services by the seed",
       {.spec = "seedName: a"},
       seed,
       "services",
       "10.4.0.0/16",
       "its seed a does",
       false},
      {"the shoot's own pods",
       {.networking = "pods: 10.0.0.0/16", .spec = "seedName: a"},
       seed,
       "pods",
       "10.0.0.0/16",
       "spec.networking.pods says so",
       false},
      {"no default of another family",
       {.networking = "ipFamilies: [IPv6]", .spec = "seedName: a"},
       seed,
       "pods",
       "unknown",
       "the cloud chooses IPv6 ranges",
       true},
      {"nodes by the cloud profile",
       {.spec = "cloudProfileName: p"},
       profile,
       "max_nodes",
       "7",
       "the CloudProfile p allows so many: spec.limits.maxNodesTotal",
       false},
      {"nodes by their range where that is smaller",
       {.networking = "nodes: 10.250.0.0/29", .spec = "cloudProfileName: p"},
       profile,
       "max_nodes",
       "3",
       "so many nodes have an address in 10.250.0.0/29",
       false},
      {"the network that was made",
       {},
       extension_yaml("Infrastructure",
                      "spec: {type: aws}\nstatus: {providerStatus: {vpc: {id: vpc-7}}}\n"),
       "routing_domain",
       "aws/vpc-7 (route tables of its own; its network is shared)",
       "every shoot that names this id is in the same network",
       false},
      {"the network that was made, known by its name",
       {.provider = "gcp"},
       extension_yaml(
           "Infrastructure",
           "spec: {type: gcp}\nstatus: {providerStatus: {networks: {vpc: {name: v}}}}\n"),
       "routing_domain",
       "gcp/v (routes of the whole network; its network may be shared)",
       "no manifest shows",
       false},
  };
  for (const Joined& row : rows) {
    SCOPED_TRACE(row.what);
    const Explanation explanation = explain_text(row.document + "---\n" + row.shoot.yaml());
    ASSERT_EQ(explanation.networks.size(), 1u);
    const effective::Reason& reason = reason_of(explanation, row.field);
    EXPECT_EQ(reason.value, row.value);
    EXPECT_THAT(reason.because, HasSubstr(row.because));
    EXPECT_EQ(reason.assumed, row.assumed);
  }
}

TEST(JoinedDocuments, ASeedsDefaultIsCheckedAsIfTheShootGaveIt) {
  const std::string seed =
      garden_yaml("Seed", "a", "{networks: {shootDefaults: {pods: 100.96.0.0/11}}}");
  const ShootText shoot{.networking = "services: 100.96.0.0/13", .spec = "seedName: a"};
  const Explanation explanation = explain_text(shoot.yaml() + "---\n" + seed);
  ASSERT_EQ(explanation.findings.size(), 1u);
  EXPECT_EQ(explanation.findings[0].rule, "not-admitted");
  EXPECT_THAT(explanation.findings[0].hint, HasSubstr("(rule ranges-overlap)"));
}

TEST(JoinedDocuments, UntilTheNodesAreRolledADualStackShootHasItsFirstFamilyAlone) {
  const auto row_at = [](const std::string& ready) {
    const std::string status = "{constraints: [{type: DualStackNodesMigrationReady, status: \"" +
                               ready + "\", reason: NodesNotMigrated}]}";
    const ShootText shoot{.config = "{overlay: {enabled: false}}",
                          .networking = "ipFamilies: [IPv4, IPv6]",
                          .status = status};
    return explain_text(shoot.yaml()).networks.at(0).row;
  };
  EXPECT_EQ(row_at("Progressing"), "T4");
  EXPECT_EQ(row_at("True"), "D1");
}

TEST(JoinedDocuments, AllThatTookPartAreNamed) {
  const Explanation explanation =
      explain_text(ShootText{}.yaml() + "---\n" + network_yaml("calico", ""));
  const auto sources =
      nlohmann::json::parse(rendered(explanation, Form::Json))["networks"][0]["sources"];
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0]["kind"], "Shoot");
  EXPECT_EQ(sources[0]["source"], "x.yaml:1:1");
  EXPECT_EQ(sources[1]["kind"], "Network");
  EXPECT_EQ(sources[1]["namespace"], "shoot--dev--one");
  EXPECT_EQ(sources[1]["name"], "net");
  EXPECT_THAT(rendered(explanation), HasSubstr("with Network shoot--dev--one/net (x.yaml:"));
  EXPECT_THAT(rendered(explain_text(ShootText{}.yaml())), Not(HasSubstr("  with Network")));
}

struct Alone {
  const char* text;
  const char* rule;
  int line;
};

TEST(JoinedDocuments, ANetworkConfigAloneIsReadAsStrictlyAsInAShoot) {
  const std::string group = "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1\n";
  const Alone rows[] = {{"vethMTU: 1440\n", "wrong-type", 3},
                        {"backend: brd\n", "bad-value", 3},
                        {"overlay: {enable: true}\n", "unknown-key", 3}};
  for (const Alone& row : rows) {
    SCOPED_TRACE(row.text);
    const Explanation explanation = explain_text(group + "kind: NetworkConfig\n" + row.text);
    EXPECT_TRUE(explanation.networks.empty());
    ASSERT_EQ(explanation.findings.size(), 2u);
    EXPECT_EQ(explanation.findings[0].rule, "incomplete-document");
    EXPECT_EQ(explanation.findings[1].rule, "not-admitted");
    EXPECT_THAT(explanation.findings[1].hint, HasSubstr(row.rule));
    EXPECT_EQ(explanation.findings[1].place.line, row.line);
  }
  EXPECT_EQ(explain_text(group + "kind: NetworkConfig\nbackend: bird\n").findings.size(), 1u);
}

}  // namespace joined_test
}  // namespace overlane::explain
