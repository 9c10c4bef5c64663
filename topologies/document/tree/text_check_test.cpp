#include "topologies/document/tree/text_check.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace overlane::document {
namespace text_check_test {

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
    {"what stands beside them", "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa",
     "\xe2\x80\x8d\xe2\x80\xaf\xe2\x81\xaa"},
    {"bytes that are no UTF-8", "a\xff\xc2", "a\\xff\\xc2"},
};

TEST(OneLine, EscapesWhatWouldNotBeOneHarmlessLine) {
  for (const Row& row : kRows) {
    EXPECT_EQ(one_line(row.text), row.line) << row.what;
    EXPECT_EQ(one_line(row.line), row.line) << row.what;
  }
}

TEST(IsPlain, SeesEachByteThatIsNot) {
  for (const std::size_t size : {1u, 63u, 64u, 65u, 200u}) {
    std::string text;
    while (text.size() < size)
      text += static_cast<char>('\x01' + text.size() % 12);  // Up to what is before \r.
    EXPECT_TRUE(is_plain(text));
    for (std::size_t at = 0; at < size; ++at) {
      for (const char other : {'\0', '\r', '\x80', '\xff'}) {
        std::string changed = text;
        changed[at] = other;
        EXPECT_FALSE(is_plain(changed)) << size << ' ' << at << ' ' << static_cast<int>(other);
      }
    }
  }
  EXPECT_TRUE(is_plain(""));
  EXPECT_TRUE(is_plain("sch\u00f6n"));
  EXPECT_FALSE(is_plain("sch\xc3"));
  EXPECT_TRUE(is_plain("{\"a\": \"~\x7f\"}\n"));
}

}  // namespace text_check_test
}  // namespace overlane::document
