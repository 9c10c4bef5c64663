#include "topologies/check/rule_book.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/check/check.h"
#include "topologies/check/testing/reader_rows.h"
#include "topologies/document/read/read.h"
#include "topologies/explain/explanation.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::check {

namespace rule_book_test {

using rules::Rule;

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool is_test(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with("_test.cpp") || name.ends_with("_fuzz.cpp");
}

/// Ids of rules that the sources of a folder write, by pattern, whatever table they stand in.
std::set<std::string> ids_written_in(const char* folder) {
  // A keyword, then, within the statement, the first literal that is in no brackets.
  const std::regex kWritten(R"re((?:\.id = |\brule = |Refusal\{|(?:error|warning|refuse)\()re"
                            R"re((?:[^";\[(]|\[[^\]]*\]|\([^()]*\))*?))re"
                            R"re("([a-z0-9]+(?:-[a-z0-9]+)*)")re");
  std::set<std::string> ids;
  const std::filesystem::path root = source_file(folder);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp" || is_test(entry.path())) continue;
    const std::string text = read_text(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), kWritten), end; match != end; ++match)
      ids.insert((*match)[1]);
  }
  return ids;
}

TEST(RuleBook, HoldsEveryRuleThatTheSourcesWrite) {
  const RuleBook book;
  std::size_t count = 0;
  for (const char* folder :
       {"topologies/document", "topologies/manifest", "topologies/effective", "topologies/rules",
        "topologies/cni", "topologies/derive", "topologies/domains", "topologies/explain",
        "topologies/update", "topologies/live", "topologies/overlap", "topologies/check"})
    for (const std::string& id : ids_written_in(folder)) {
      ++count;
      EXPECT_NE(book.find(id), nullptr) << id << " in " << folder << " is in no table of rules";
    }
  EXPECT_GT(count, 50u);
}

TEST(RuleBook, KnowsEachRuleOnceWithAllThatAPageNeeds) {
  const RuleBook book;
  const std::regex kKebabCase("[a-z0-9]+(-[a-z0-9]+)*");
  std::set<std::string_view> ids;
  for (const Rule* rule : book.rules()) {
    const std::string id(rule->id);
    EXPECT_TRUE(ids.insert(rule->id).second) << id << " stands in two tables";
    EXPECT_TRUE(std::regex_match(id, kKebabCase)) << id;
    for (const std::string_view text :
         {rule->section, rule->title, rule->why, rule->remedy, rule->source.text()})
      EXPECT_FALSE(text.empty()) << id;
    EXPECT_TRUE(rule->title.ends_with('.')) << id;
    EXPECT_EQ(rule->title.find(" must "), std::string_view::npos)
        << id << ": a title states the violation, not the rule";
    EXPECT_TRUE(rule->why.ends_with('.')) << id;
    EXPECT_FALSE(rule->remedy.ends_with('.')) << id;
  }
}

TEST(RuleBook, SaysWhatAnUnknownIdCouldMean) {
  const RuleBook book;
  EXPECT_EQ(book.find("mtu-to-large"), nullptr);
  EXPECT_EQ(book.unknown("mtu-to-large"),
            "check has no rule mtu-to-large; did you mean mtu-too-large?");
  EXPECT_EQ(book.unknown("weather"),
            "check has no rule weather; `overlane check --list-rules` names all of them");
}

}  // namespace rule_book_test

namespace rule_text_test {

using ::testing::HasSubstr;

std::string read_page(const std::string& name) {
  std::ifstream stream(source_file("docs/reference/") + name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(RuleBook, EverySectionIsOneOfGardenersPage) {
  const std::string gardener = read_page("gardener.md");
  const RuleBook book;
  for (const rules::Rule* rule : book.rules()) {
    const std::string section(rule->section);
    if (section.starts_with("§")) {
      EXPECT_THAT(gardener, HasSubstr("# " + section + " ")) << rule->id;
    } else if (section.starts_with('N')) {
      EXPECT_THAT(gardener, HasSubstr("| " + section + " | ")) << rule->id;
    }
  }
}

TEST(RuleBook, OneRuleIsExplainedForAPerson) {
  const RuleBook book;
  EXPECT_EQ(explain_rule(*book.find("empty-list")),
            "empty-list\n"
            "A list has no items.\n\n"
            "An empty one is mostly the answer to a question about the wrong namespace.\n\n"
            "section:     input\n"
            "severity:    note\n"
            "noticed by:  overlane, which cannot use the document\n"
            "what to do:  ask kubectl for all namespaces with -A\n"
            "source:      topologies/manifest\n");
  EXPECT_THAT(list_rules(book), HasSubstr("note     A list has no items.\n"));
}

}  // namespace rule_text_test

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
  const std::string path = std::filesystem::path(source_file("")) / input;  // May be absolute.
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
