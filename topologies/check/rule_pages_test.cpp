#include "topologies/check/rule_pages.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::check {
namespace rule_pages_test {

using ::testing::HasSubstr;

std::string read_page(const std::string& name) {
  std::ifstream stream(OVERLANE_SOURCE_DIR "/docs/reference/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(RulePages, EverySectionIsOneOfGardenersPage) {
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

TEST(RulePages, HaveAHeadingForEachRule) {
  const RuleBook book;
  const std::string pages = rule_pages(book);
  for (const rules::Rule* rule : book.rules())
    EXPECT_THAT(pages, HasSubstr("\n## " + std::string(rule->id) + "\n"));
}

TEST(RulePages, TextThatMarkdownWouldTakeForMarkupIsEscaped) {
  const std::string pages = rule_pages(RuleBook());
  EXPECT_THAT(pages, HasSubstr("A mapping uses the merge key \\<\\<."));
}

TEST(RulePages, OneRuleIsExplainedForAPerson) {
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

}  // namespace rule_pages_test
}  // namespace overlane::check
