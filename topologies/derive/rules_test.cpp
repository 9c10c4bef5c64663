#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/cni/profiles.h"
#include "topologies/derive/derive.h"
#include "topologies/derive/testing/rule_row.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/rules/rule_tables.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::derive {

namespace rules_test {

using rules::Rule;
using testing::RuleRow;
using testing::RuleShoot;

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> rules;
  list_rules(rules::gardener_checks(), rules);
  list_rules(rules::provider_checks(), rules);
  list_rules(rules::omission_checks(), rules);
  list_rules(rules::lints(), rules);
  for (const cni::Profile* cni : cni::profiles())
    std::ranges::copy(cni->extension->rules(), std::back_inserter(rules));
  return rules;
}

Findings findings_of(const RuleShoot& shoot) {
  const manifest::ManifestSet set = manifest::decode(document::parse(shoot.yaml(), "x.yaml"));
  EXPECT_EQ(set.clusters.size(), 1u) << shoot.yaml();
  for (const Finding& finding : set.findings)
    ADD_FAILURE() << finding.to_string() << "\n" << shoot.yaml();
  if (set.clusters.size() != 1) return {};
  DeriveOptions options;
  for (const char* setting : shoot.landscape) {
    auto landscape =
        effective::with_setting(options.landscape, fmt::format("landscape.{}", setting));
    EXPECT_TRUE(landscape) << landscape.error();
    if (landscape) options.landscape = *std::move(landscape);
  }
  return examine(set.clusters[0], options).findings;
}

std::set<std::string> rules_in(const Findings& findings) {
  std::set<std::string> rules;
  for (const Finding& finding : findings)
    rules.insert(finding.rule);
  return rules;
}

class RuleRows : public ::testing::TestWithParam<RuleRow> {};

TEST_P(RuleRows, ReportBrokenRowsOnly) {
  const RuleRow& row = GetParam();
  const Findings broken = findings_of(row.broken);
  const std::set<std::string> sound = rules_in(findings_of(row.sound));
  std::set<std::string> added;
  std::ranges::set_difference(rules_in(broken), sound, std::inserter(added, added.end()));
  std::set<std::string> expected(row.also.begin(), row.also.end());
  expected.insert(row.rule);
  EXPECT_EQ(added, expected);
  EXPECT_FALSE(sound.contains(row.rule)) << row.sound.yaml();
  for (const Finding& finding : broken) {
    if (finding.rule != row.rule) continue;
    EXPECT_FALSE(finding.place.file.empty()) << finding.to_string();
    EXPECT_FALSE(finding.hint.empty()) << finding.to_string();
    EXPECT_TRUE(finding.message.starts_with(finding.object.qualified() + ": ")) << finding.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Rule, RuleRows, ::testing::ValuesIn(testing::all_rule_rows()),
                         [](const auto& row) {
                           return rules::testing::row_name(row.param.section + " " + row.param.rule,
                                                           row.index);
                         });

TEST(Rules, HaveRowsAndRowsHaveRules) {
  const std::vector<RuleRow> rows = testing::all_rule_rows();
  std::set<std::string_view> ids;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << "twice: " << rule->id;
    const auto row = std::ranges::find(rows, rule->id, &RuleRow::rule);
    if (row == rows.end())
      ADD_FAILURE() << "no row: " << rule->id;
    else
      EXPECT_EQ(row->section, rule->section) << rule->id;
    for (const std::string_view text : {rule->title, rule->why, rule->remedy, rule->source.text()})
      EXPECT_FALSE(text.empty()) << rule->id;
  }
  for (const RuleRow& row : rows)
    EXPECT_TRUE(ids.contains(row.rule)) << "no rule: " << row.rule;
  fmt::print("{} rules, {} rows\n", ids.size(), rows.size());
}

}  // namespace rules_test

namespace rule_texts_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RuleShoot;

Examination examined(const RuleShoot& shoot) {
  DeriveOptions options;
  for (const char* setting : shoot.landscape)
    options.landscape =
        effective::with_setting(options.landscape, std::string("landscape.") + setting).value();
  const auto set = manifest::decode(document::parse(shoot.yaml(), "x.yaml"));
  return examine(set.clusters.at(0), options);
}

Finding finding_of(const RuleShoot& shoot, const char* rule) {
  const Findings findings = examined(shoot).findings;
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  if (found != findings.end()) return *found;
  ADD_FAILURE() << rule << " is not found";
  return {};
}

/// The message agrees with the compiled packet filter.
TEST(RuleTexts, GcpsFirewallLetsIpipThrough) {
  EXPECT_THAT(finding_of({.provider = "gcp"}, "gcp-other-protocols").message,
              HasSubstr("allows only ICMP, IPIP, TCP, UDP: it drops"));
}

TEST(RuleTexts, RouteQuotasNameTheOptionThatSetsThem) {
  const RuleShoot assumed{.provider = "openstack",
                          .workers = "{name: w, minimum: 600, maximum: 600}"};
  const Finding warning = finding_of(assumed, "route-quota-by-minimum");
  EXPECT_EQ(warning.severity, Severity::Warning) << "the quota is assumed";
  EXPECT_THAT(warning.message, HasSubstr("600 routes, one for each node, but the quota is 512"));
  EXPECT_THAT(warning.hint, HasSubstr("--set landscape.route-quota.openstack=N"));
  RuleShoot set = assumed;
  set.landscape = {"route-quota.openstack=512"};
  EXPECT_EQ(finding_of(set, "route-quota-by-minimum").severity, Severity::Error);
  RuleShoot disputed = assumed;
  disputed.workers = "{name: w, minimum: 3, maximum: 300}";
  EXPECT_THAT(finding_of(disputed, "route-quota-disputed").hint,
              HasSubstr("--set landscape.route-quota.openstack=N"));
}

TEST(RuleTexts, RoutesOfNoNodeAreNamed) {
  const RuleShoot shoot{.provider = "gcp", .workers = "{name: w, minimum: 3, maximum: 300}"};
  EXPECT_THAT(finding_of(shoot, "route-quota-by-maximum").message,
              HasSubstr("301 routes, one for each node and 1 other, but the quota is 300"));
}

std::string why_masqueraded_dns(const char* infrastructure) {
  const auto network = examined({.provider = "aws",
                                 .networking = "nodes: 10.181.128.0/17",
                                 .infrastructure = infrastructure})
                           .network;
  if (!network) return network.error().message;
  const auto reason =
      std::ranges::find(network->reasons, "dataplane.masqueraded_dns", &effective::Reason::field);
  if (reason == network->reasons.end()) return "no reason";
  EXPECT_TRUE(reason->assumed);
  return reason->value + ": " + reason->because.to_string();
}

TEST(RuleTexts, TheNameserverOfAnExistingVpcIsAssumed) {
  EXPECT_THAT(why_masqueraded_dns("networks: {vpc: {id: vpc-1}}"),
              AllOf(HasSubstr("10.181.128.2"),
                    HasSubstr("at offset 2 of its VPC's range; no document gives the range of "
                              "vpc-1, so the nodes' range 10.181.128.0/17 is used instead")));
  EXPECT_THAT(why_masqueraded_dns("networks: {vpc: {cidr: 10.181.0.0/16}}"),
              AllOf(HasSubstr("10.181.0.2"), Not(HasSubstr("no document gives"))));
}

}  // namespace rule_texts_test

}  // namespace overlane::derive
