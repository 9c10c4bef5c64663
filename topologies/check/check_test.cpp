#include "topologies/check/check.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check {

namespace check_test {

using manifest::testing::network_yaml;
using manifest::testing::ShootText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CheckReport check_text(const std::string& yaml, const Selection& selection = {}) {
  return check(document::parse(yaml, "x.yaml"), {.derive = {}, .selection = selection});
}

std::vector<std::string> rules_of(const CheckReport& report) {
  std::vector<std::string> rules;
  for (const Finding& finding : report.findings)
    rules.push_back(finding.rule);
  return rules;
}

std::string shoot_yaml(const std::string& metadata, const std::string& networking) {
  return "apiVersion: core.gardener.cloud/v1beta1\n"
         "kind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev" +
         metadata +
         "}\n"
         "spec:\n"
         "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 2}]}\n"
         "  networking: {type: calico, nodes: 10.250.0.0/16, providerConfig: {overlay: {enabled: "
         "false}}, " +
         networking + "}\n";
}

const char* const kSound = "pods: 100.96.0.0/11, services: 100.64.0.0/13";
const char* const kTwoWarnings = "pods: 20.0.0.0/11, services: 21.0.0.0/16";
const char* const kTwoErrors = "pods: 240.1.0.0/16, services: 241.1.0.0/16";

TEST(Check, GivesEveryFindingOfAShootByItsOwnRule) {
  const CheckReport report = check_text(shoot_yaml("", kTwoErrors));
  EXPECT_THAT(rules_of(report), ElementsAre("reserved-range", "reserved-range"));
  EXPECT_EQ(report.shoots.size(), 1u);
  EXPECT_EQ(report.shoots[0].name.qualified(), "garden-dev/one");
  EXPECT_EQ(summary(report), "1 shoot, 2 errors, 0 warnings");
}

std::string domains_yaml(const std::string& spec) {
  return "---\napiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: acme}\n"
         "spec: {" +
         spec + "}\n";
}

TEST(Check, RoutingDomainsAreHeldAgainstEachOtherAndNotUsed) {
  const std::string sound =
      shoot_yaml("", kSound) + domains_yaml("reserved: [{cidr: 100.96.0.0/11}]");
  const CheckReport noted = check_text(sound);
  ASSERT_THAT(rules_of(noted), ElementsAre("unsupported-kind"));
  EXPECT_EQ(noted.findings[0].severity, Severity::Note);
  EXPECT_THAT(noted.findings[0].hint, HasSubstr("overlane overlap --domains"));

  const CheckReport wrong =
      check_text(sound +
                 domains_yaml("networks: [{provider: aws, network: v, ranges: [{cidr: "
                              "100.96.0.0/11}]}]") +
                 domains_yaml("reserved: [{cidr: 10.0.0.1/8}]"));
  EXPECT_THAT(rules_of(wrong),
              ElementsAre("unsupported-kind", "unsupported-kind", "contradictory-domains",
                          "unsupported-kind", "invalid-cidr"));
}

TEST(Check, ASoundShootHasNoFinding) {
  const CheckReport report = check_text(shoot_yaml("", kSound));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(summary(report), "1 shoot, 0 errors, 0 warnings");
}

TEST(Check, JudgesNothingOfAFieldThatCannotBeRead) {
  // Without pods the usual range would be assumed, which the services overlap.
  const CheckReport report =
      check_text(shoot_yaml("", "pods: 100.96.0.5/11, services: 100.100.0.0/16"));
  EXPECT_THAT(rules_of(report), ElementsAre("invalid-cidr"));
}

TEST(Check, StillJudgesTheOtherFields) {
  const CheckReport report =
      check_text(shoot_yaml("", "pods: 100.96.0.5/11, services: 241.0.0.0/16"));
  EXPECT_THAT(rules_of(report), ElementsAre("invalid-cidr", "reserved-range"));
}

TEST(Check, AnAnnotationSilencesRulesForItsObject) {
  const std::string silent = shoot_yaml(
      ", annotations: {overlane.dev/ignore: \"public-range, mtu-too-large\"}", kTwoWarnings);
  CheckReport report = check_text(silent);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.silenced.size(), 2u);
  EXPECT_EQ(summary(report), "1 shoot, 0 errors, 0 warnings, 2 silenced by annotations");
  EXPECT_EQ(encode(report)["silenced"][1]["rule"], report.silenced[1].rule);
  std::string other = shoot_yaml("", kTwoWarnings);
  other.replace(other.find("one"), 3, "two");
  EXPECT_EQ(check_text(silent + "---\n" + other).findings.size(), 2u);
}

TEST(Check, AnAnnotationDoesNotSilenceWhatAdmissionRefuses) {
  const CheckReport report =
      check_text(shoot_yaml(", annotations: {overlane.dev/ignore: reserved-range}", kTwoErrors));
  EXPECT_THAT(rules_of(report),
              ElementsAre("rule-not-silenced", "reserved-range", "reserved-range"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("admission refuses the object"));
  EXPECT_THAT(report.silenced, IsEmpty());
}

TEST(Check, AnAnnotationOfAnEmbeddedShootCounts) {
  const CheckReport report = check_text(
      "apiVersion: extensions.gardener.cloud/v1alpha1\n"
      "kind: Cluster\n"
      "metadata: {name: shoot--dev--one}\n"
      "spec:\n"
      "  shoot:\n"
      "    metadata:\n"
      "      {name: one, namespace: garden-dev, annotations: {overlane.dev/ignore: "
      "public-range}}\n"
      "    spec:\n"
      "      provider: {type: aws}\n"
      "      networking: {type: calico, nodes: 10.250.0.0/16, pods: 20.1.0.0/16}\n");
  EXPECT_EQ(report.silenced.size(), 1u);
}

TEST(Check, AnAnnotationWithAnUnknownRuleIsAWarningAtItsPlace) {
  const CheckReport report =
      check_text(shoot_yaml(", annotations: {overlane.dev/ignore: reserved-rnage}", kSound));
  ASSERT_THAT(rules_of(report), ElementsAre("unknown-rule"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("did you mean reserved-range?"));
  EXPECT_EQ(report.findings[0].severity, Severity::Warning);
  EXPECT_EQ(report.findings[0].place.line, 3);
}

TEST(Check, SelectsByRule) {
  const std::string yaml = shoot_yaml("", kTwoErrors);
  EXPECT_EQ(check_text(yaml, {{"reserved-range"}, {}}).findings.size(), 2u);
  EXPECT_THAT(check_text(yaml, {{"mtu-too-large"}, {}}).findings, IsEmpty());
  EXPECT_THAT(check_text(yaml, {{}, {"reserved-range"}}).findings, IsEmpty());
}

TEST(Check, FindingsStandInTheOrderOfTheirPlaces) {
  const CheckReport report =
      check_text("kind: Secret\n---\n" + shoot_yaml("", kTwoErrors) + "---\nkind: [\n");
  EXPECT_THAT(rules_of(report),
              ElementsAre("unsupported-kind", "reserved-range", "reserved-range", "invalid-yaml"));
  EXPECT_EQ(summary(report), "1 shoot, 3 errors, 0 warnings, 1 note");
}

TEST(Check, ItsDocumentHasFindingsAndASummary) {
  const auto json = encode(check_text(shoot_yaml("", kTwoErrors)));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["kind"], "CheckReport");
  EXPECT_EQ(json["findings"][1]["rule"], "reserved-range");
  EXPECT_EQ(json["summary"].dump(), R"({"shoots":1,"errors":2,"warnings":0,"notes":0,"silenced":0,)"
                                    R"("judged_in_part":0,"left_out":0})");
}

/// What is wrong with manifests, in many ways.
const std::vector<std::string>& bad_manifests() {
  static const std::vector<std::string> kTexts = {
      "",
      "kind: Shoot\n...\nspec: {}\n",
      "kind: Shoot\nmetadata:\n  name: {{ .Values.name }}\n",
      "kind: Shoot\nspec: [1, 2\n",
      "a: 1\na: 2\n",
      "{\"a\": 1,}",
      "<<: {a: 1}\n",
      "\xff\xfe",
      "spec: {}\n",
      "kind: ShootList\napiVersion: core.gardener.cloud/v1beta1\nitems: []\n",
      "kind: Shoot\napiVersion: garden.sapcloud.io/v1beta1\n",
      "kind: Shoot\napiVersion: core.gardener.cloud/v1beta1\nspec: {networking: {type: calico}}\n",
      network_yaml("calico", "{backend: vxln}"),
      network_yaml("calico", "{vethMTU: 1440}"),
      network_yaml("calico", "{ovrlay: {}}"),
      network_yaml("cilium", "{psp: {}}"),
      network_yaml("cilium", "{kind: Network}"),
      network_yaml("cilium", "{apiVersion: v1, kind: NetworkConfig}"),
      network_yaml("gardenet", "{}"),
      ShootText{.provider = ""}.yaml(),
      ShootText{.provider = "<provider>"}.yaml(),
      ShootText{.config = "{overlay: {}}"}.yaml(),
      ShootText{.config = "{vxlan: {enabled: true}, overlay: {enabled: false}}"}.yaml(),
      ShootText{.config = "{vethMTU: \"9001\", overlay: {enabled: true}}"}.yaml(),
      ShootText{.networking = "pods: 10.0.0.5/16"}.yaml(),
      ShootText{.networking = "pods: 240.0.0.0/16"}.yaml(),
      ShootText{.networking = "pdos: 10.0.0.0/16"}.yaml(),
      ShootText{.provider = "gcp", .networking = "ipFamilies: [IPv6]"}.yaml(),
      ShootText{.networking = "ipFamilies: [IPv5]"}.yaml(),
      ShootText{.kubernetes = "{kubeProxy: {enabled: false}}"}.yaml(),
      ShootText{.kubernetes = "{kubeControllerManager: {nodeCIDRMaskSize: 29}}"}.yaml(),
      ShootText{.kubernetes = "{kubeControllerManager: {nodeCIDRMaskSize: 9999999999}}"}.yaml(),
  };
  return kTexts;
}

TEST(Check, EveryFindingHasARuleInTheBookThatIsNoLighter) {
  const RuleBook book;
  std::set<std::string> seen;
  for (const std::string& text : bad_manifests()) {
    const CheckReport report = check_text(text);
    EXPECT_FALSE(report.findings.empty()) << text;
    for (const Finding& finding : report.findings) {
      const rules::Rule* rule = book.find(finding.rule);
      ASSERT_NE(rule, nullptr) << finding.to_string();
      EXPECT_LE(finding.severity, rule->severity) << finding.to_string();
      seen.insert(finding.rule);
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

}  // namespace check_test

namespace check_update_test {

using manifest::testing::ShootText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// By the rules that these updates are about.
CheckReport update(const std::string& before, const std::string& after) {
  const Selection selection{
      {"reserved-range", "pods-changed", "no-counterpart", "networking-removed",
       "overlay-key-removed", "ipv6-with-overlay", "overlay-off-loses-packets"},
      {}};
  return check_update(document::parse(before, "old.yaml"), document::parse(after, "new.yaml"),
                      {.derive = {}, .selection = selection});
}

std::vector<std::string> rules_of(const CheckReport& report) {
  std::vector<std::string> rules;
  for (const Finding& finding : report.findings)
    rules.push_back(finding.rule);
  return rules;
}

ShootText shoot(const char* pods) {
  return {.config = "{overlay: {enabled: false}}",
          .networking = std::string("nodes: 10.250.0.0/16\n    pods: ") + pods};
}

std::string named(std::string yaml, const std::string& name) {
  return yaml.replace(yaml.find("name: one"), 9, "name: " + name);
}

TEST(CheckUpdate, NothingChangesAndNothingIsWrong) {
  const std::string yaml = shoot("100.96.0.0/11").yaml();
  const CheckReport report = update(yaml, yaml);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(summary(report), "1 shoot, 1 of them updated, 0 errors, 0 warnings");
}

TEST(CheckUpdate, RulesAboutTheStepStandBesideThoseAboutTheNewObject) {
  const CheckReport report = update(shoot("100.96.0.0/11").yaml(), shoot("240.0.0.0/11").yaml());
  EXPECT_THAT(rules_of(report), ElementsAre("reserved-range", "pods-changed"));
}

TEST(CheckUpdate, ObjectsAreTheSameByName) {
  const std::string one = shoot("100.96.0.0/11").yaml();
  const std::string two = named(shoot("100.64.0.0/11").yaml(), "two");
  const CheckReport report = update(one, two);
  EXPECT_THAT(rules_of(report), ElementsAre("no-counterpart", "no-counterpart"));
  EXPECT_EQ(report.updates, 0u);
  EXPECT_EQ(update(one + "---\n" + two, two + "---\n" + one).updates, 2u);
}

TEST(CheckUpdate, ANetworkingThatIsGoneIsAnUpdateToo) {
  const CheckReport report =
      update(shoot("100.96.0.0/11").yaml(),
             "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
             "metadata: {name: one, namespace: garden-dev}\nspec: {provider: {type: aws}}\n");
  EXPECT_EQ(report.updates, 1u);
  EXPECT_THAT(rules_of(report), ElementsAre("networking-removed"));
}

TEST(CheckUpdate, TheNewObjectIsJudgedAsAdmissionLeavesIt) {
  // Without its key the overlay would count as on, which aws refuses with IPv6; it stays off.
  ShootText before{.config = "{overlay: {enabled: false}}",
                   .networking = "ipFamilies: [IPv4, IPv6]"};
  ShootText after{.networking = "ipFamilies: [IPv4, IPv6]"};
  EXPECT_THAT(rules_of(update(before.yaml(), after.yaml())), ElementsAre("overlay-key-removed"));
}

TEST(CheckUpdate, OldManifestsThatCannotBeUsedAreNamed) {
  const std::string yaml = shoot("100.96.0.0/11").yaml();
  EXPECT_THAT(rules_of(update(yaml + "---\nkind: [\n", yaml)), ElementsAre("invalid-yaml"));
}

TEST(CheckUpdate, AnnotationsOfTheNewObjectSilenceRules) {
  ShootText shoot_text = shoot("100.96.0.0/11");
  std::string after = shoot_text.yaml();
  const std::string metadata = "metadata: {";
  after.insert(after.find(metadata) + metadata.size(),
               "annotations: {overlane.dev/ignore: overlay-off-loses-packets}, ");
  shoot_text.config = "{overlay: {enabled: true}}";
  const CheckReport report = update(shoot_text.yaml(), after);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.silenced.size(), 1u);
}

/// "rule place: message (hint)" of each.
std::vector<std::string> refused(const std::string& before, const std::string& after) {
  std::vector<std::string> refused;
  for (const Finding& finding :
       refused_updates(document::parse(before, "old.yaml"), document::parse(after, "new.yaml"), {}))
    refused.push_back(finding.rule + ' ' + finding.place.to_string() + ": " + finding.message +
                      " (" + finding.hint + ')');
  return refused;
}

TEST(RefusedUpdates, NameBothValuesAndBothPlaces) {
  ShootText running = shoot("100.96.0.0/11");
  running.infrastructure = "{networks: {vpc: {id: vpc-1}}}";
  running.status = "{hibernated: false}";
  ShootText moved = shoot("10.0.0.0/11");
  moved.infrastructure = "{networks: {vpc: {id: vpc-2}}}";
  const std::string other = named(shoot("10.0.0.0/11").yaml(), "other");
  EXPECT_THAT(
      refused(other + "---\n" + running.yaml(), moved.yaml()),
      ElementsAre(
          "not-admitted new.yaml:12:11: garden-dev/one: the range of the pods may not change from "
          "100.96.0.0/11 to 10.0.0.0/11; the running one is at old.yaml:24:11, and only creating "
          "it anew changes that (create a new shoot (rule pods-changed))",
          "not-admitted new.yaml:7:49: garden-dev/one: "
          "spec.provider.infrastructureConfig.networks.vpc.id may not change from vpc-1 to vpc-2; "
          "the running one is at old.yaml:19:49, and only creating it anew changes that (keep "
          "networks.vpc (rule vpc-changed))"));
}

TEST(RefusedUpdates, AreOfRunningObjectsAndOfWhatStaysOnly) {
  ShootText running = shoot("100.96.0.0/11");
  running.status = "{hibernated: false}";
  const ShootText moved = shoot("10.0.0.0/11");
  ShootText with_overlay = shoot("100.96.0.0/11");
  with_overlay.config = "{overlay: {enabled: true}}";
  EXPECT_THAT(refused(shoot("100.96.0.0/11").yaml(), moved.yaml()), IsEmpty())
      << "nobody has applied the old one";
  EXPECT_THAT(refused(running.yaml(), named(moved.yaml(), "two")), IsEmpty());
  EXPECT_THAT(refused(running.yaml(), with_overlay.yaml()), IsEmpty());
  EXPECT_THAT(refused(running.yaml(), running.yaml()), IsEmpty());
}

}  // namespace check_update_test

}  // namespace overlane::check
