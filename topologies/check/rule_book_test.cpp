#include "topologies/check/rule_book.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const std::filesystem::path root = std::filesystem::path(OVERLANE_SOURCE_DIR) / folder;
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
            "there is no rule mtu-to-large; did you mean mtu-too-large?");
  EXPECT_EQ(book.unknown("weather"),
            "there is no rule weather; `overlane check --list-rules` names all of them");
}

}  // namespace rule_book_test

namespace rule_text_test {

using ::testing::HasSubstr;

std::string read_page(const std::string& name) {
  std::ifstream stream(OVERLANE_SOURCE_DIR "/docs/reference/" + name);
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

}  // namespace overlane::check
