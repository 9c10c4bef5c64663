#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/check/check.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::check {
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
