#include "topologies/document/tree/tree.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace overlane::document {

namespace text_check_test {

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
