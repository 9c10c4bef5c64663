#include "topologies/update/update.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/rules/testing/rule_rows.h"
#include "topologies/update/testing/update_rows.h"

namespace overlane::update {
namespace update_test {

using rules::testing::listed;
using rules::testing::row_name;
using testing::UpdateRow;

std::vector<UpdateRow> all_rows() {
  std::vector<UpdateRow> rows = testing::field_rows();
  for (auto more : {testing::infrastructure_rows(), testing::switch_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

ObjectParts parts_of(const document::Stream& stream) {
  const document::Value root = stream.documents.at(0).root();
  return {root["metadata"], root["spec"]};
}

Findings judge(const UpdateRow& row) {
  const document::Stream before = document::parse(row.before, "old.yaml");
  const document::Stream after = document::parse(row.after, "new.yaml");
  const auto old_set = manifest::decode(before, manifest::Detail::All);
  const auto new_set = manifest::decode(after, manifest::Detail::All);
  const ObjectUpdate object{parts_of(before), parts_of(after)};
  if (new_set.clusters.empty())
    return judge_object(object, {.object = old_set.clusters.at(0).object,
                                 .place = after.documents.at(0).root().place()});
  return judge_update(object, old_set.clusters.at(0), new_set.clusters.at(0), row.options);
}

class UpdateRows : public ::testing::TestWithParam<UpdateRow> {};

TEST_P(UpdateRows, ReportBrokenRowsOnly) {
  const UpdateRow& row = GetParam();
  const Findings findings = judge(row);
  const auto count = std::ranges::count(findings, row.rule, &Finding::rule);
  EXPECT_EQ(count > 0, row.broken) << listed(findings);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.place.file, "new.yaml") << finding.to_string();
    EXPECT_GT(finding.place.line, 0) << finding.to_string();
    EXPECT_FALSE(finding.hint.empty()) << finding.to_string();
    EXPECT_TRUE(finding.message.starts_with(finding.object.qualified() + ": "));
  }
}

INSTANTIATE_TEST_SUITE_P(Rule, UpdateRows, ::testing::ValuesIn(all_rows()), [](const auto& row) {
  return row_name(rules(), row.param.rule, row.index);
});

TEST(Update, EveryRuleHasARowThatBreaksItAndOneThatKeepsIt) {
  std::set<std::string_view> broken;
  std::set<std::string_view> sound;
  const std::vector<UpdateRow> rows = all_rows();
  for (const UpdateRow& row : rows)
    (row.broken ? broken : sound).insert(row.rule);
  for (const rules::Rule* rule : rules()) {
    EXPECT_TRUE(broken.contains(rule->id)) << rule->id;
    EXPECT_TRUE(sound.contains(rule->id)) << rule->id;
  }
  fmt::print("{} rules about updates, {} rows\n", rules().size(), rows.size());
}

/// An update before and after admission.
struct Admitted {
  const char* what;
  std::string before;
  std::string after;
  const char* overlay;  ///< "true", "false", or empty for no key.
  derive::StageChoice stage;
};

std::string aws(const char* config) {
  return fmt::format(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {{name: a, namespace: b}}\n"
      "spec: {{provider: {{type: aws}}, networking: {{type: calico, providerConfig: {}}}}}\n",
      config);
}

TEST(Update, AdmissionKeepsTheOverlayKey) {
  const Admitted rows[] = {
      {"removed", aws("{overlay: {enabled: true}}"), aws("{}"), "true",
       derive::StageChoice::Create},
      {"changed", aws("{overlay: {enabled: true}}"), aws("{overlay: {enabled: false}}"), "false",
       derive::StageChoice::Create},
      {"never there, written at creation", aws("{}"), aws("{}"), "", derive::StageChoice::Create},
      {"never there in a live shoot", aws("{}") + "status: {technicalID: x}\n", aws("{}"), "",
       derive::StageChoice::Live},
  };
  for (const Admitted& row : rows) {
    const auto before = manifest::decode(document::parse(row.before, "old.yaml"));
    const auto after = manifest::decode(document::parse(row.after, "new.yaml"));
    derive::StageChoice stage = derive::StageChoice::Auto;
    const manifest::PodNetworkSpec admitted =
        admitted_update(before.clusters.at(0), after.clusters.at(0), {}, stage);
    EXPECT_EQ(admitted.provider_config.root()["overlay"]["enabled"].text(), row.overlay)
        << row.what;
    EXPECT_EQ(stage, row.stage) << row.what;
  }
}

}  // namespace update_test
}  // namespace overlane::update
