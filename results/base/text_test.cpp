#include "results/base/text.h"

#include <gtest/gtest.h>

namespace overlane {

namespace one_line_test {

struct Row {
  const char* what;
  std::string_view text;
  std::string_view line;
};

constexpr Row kRows[] = {
    {"plain text", "sh\u00f6n \u2026 \u4e2d \U0001f600", "sh\u00f6n \u2026 \u4e2d \U0001f600"},
    {"line ends and tabs", "a\nb\tc\r", "a\\nb\\tc\\x0d"},
    {"an escape sequence and DEL", "\x1b[31m\x7f", "\\x1b[31m\\x7f"},
    {"C1 controls", "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0"},
    {"separators of lines and paragraphs", "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
    {"marks of direction", "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
    {"embeddings and overrides", "\xe2\x80\xaa\xe2\x80\xae", "\\u202a\\u202e"},
    {"isolates", "\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
    {"neighbours of printable characters", "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa",
     "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa"},
    {"bytes that are no UTF-8", "a\xff\xc2", "a\\xff\\xc2"},
};

TEST(OneLine, EscapesWhatIsUnsafeOnATerminal) {
  for (const Row& row : kRows) {
    EXPECT_EQ(one_line(row.text), row.line) << row.what;
    EXPECT_EQ(one_line(row.line), row.line) << row.what;
  }
}

TEST(MatchesPattern, KnowsStarsAndSets) {
  EXPECT_TRUE(matches_pattern("run/bulk", "run/*"));
  EXPECT_TRUE(matches_pattern("p9", "p[0-9]"));
  EXPECT_FALSE(matches_pattern("run/bulk", "run"));
}

TEST(WordsOf, SplitsAtWhiteSpace) {
  EXPECT_EQ(words_of(" a  bc\td\n"), (std::vector<std::string>{"a", "bc", "d"}));
  EXPECT_TRUE(words_of(" ").empty());
}

TEST(YamlQuoted, DoublesSingleQuotes) {
  EXPECT_EQ(yaml_quoted("it's"), "'it''s'");
  EXPECT_EQ(yaml_quoted(""), "''");
}

}  // namespace one_line_test

}  // namespace overlane
