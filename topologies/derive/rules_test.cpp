#include <algorithm>
#include <set>

#include <fmt/format.h>
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
}  // namespace overlane::derive
