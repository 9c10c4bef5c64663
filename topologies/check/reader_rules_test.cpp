#include "topologies/check/reader_rules.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/check/check.h"
#include "topologies/check/testing/reader_rows.h"
#include "topologies/document/read/read.h"
#include "topologies/explain/explanation.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::check {

namespace reader_rules_test {

using rules::testing::listed;
using rules::testing::row_name;
using testing::Reader;
using testing::ReaderRow;

std::vector<ReaderRow> all_rows() {
  std::vector<ReaderRow> rows = testing::document_rows();
  for (auto more : {testing::object_rows(), testing::field_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

std::vector<const rules::Rule*> all_rules() {
  std::vector<const rules::Rule*> all;
  for (const auto rules : {input_rules(), field_rules(), check_rules()})
    for (const rules::Rule& rule : rules)
      all.push_back(&rule);
  return all;
}

Findings update_findings(const std::string& text) {
  const auto now = text.find(testing::kNow);
  return check_update(document::parse(text.substr(0, now), "old.yaml"),
                      document::parse(text.substr(now), "new.yaml"), {})
      .findings;
}

template <typename T>
Findings error_of(const Result<T>& read) {
  return read ? Findings() : Findings{read.error()};
}

Findings findings_of(Reader reader, const std::string& input) {
  const std::string path = std::filesystem::path(OVERLANE_SOURCE_DIR) / input;
  switch (reader) {
    case Reader::Check:
      return check(document::parse(input, "x.yaml"), {}).findings;
    case Reader::Explain:
      return explain::explain(document::parse(input, "x.yaml"), {}).findings;
    case Reader::Update:
      return update_findings(input);
    case Reader::Path:
      return error_of(document::read(path));
    case Reader::OneDocument:
      return error_of(document::read_one(path));
  }
  return {};
}

bool has(const Findings& findings, std::string_view rule) {
  return std::ranges::find(findings, rule, &Finding::rule) != findings.end();
}

class ReaderRows : public ::testing::TestWithParam<ReaderRow> {};

TEST_P(ReaderRows, ABrokenOneIsNamedASoundOneIsNot) {
  const ReaderRow& row = GetParam();
  const Findings broken = findings_of(row.reader, row.broken);
  EXPECT_TRUE(has(broken, row.rule)) << listed(broken);
  const Findings sound = findings_of(row.reader, row.sound);
  EXPECT_FALSE(has(sound, row.rule)) << listed(sound);
}

INSTANTIATE_TEST_SUITE_P(Rule, ReaderRows, ::testing::ValuesIn(all_rows()), [](const auto& row) {
  return row_name(all_rules(), row.param.rule, row.index);
});

TEST(ReaderRules, EveryOneHasARow) {
  std::set<std::string_view> with_row;
  const std::vector<ReaderRow> rows = all_rows();
  for (const ReaderRow& row : rows)
    with_row.insert(row.rule);
  const auto rules = all_rules();
  for (const rules::Rule* rule : rules)
    EXPECT_TRUE(with_row.contains(rule->id)) << rule->id;
  EXPECT_EQ(with_row.size(), rules.size());
  fmt::print("{} rules of readers, {} rows\n", rules.size(), rows.size());
}

}  // namespace reader_rules_test

}  // namespace overlane::check
