#include "results/report/formats/svg.h"

#include <gtest/gtest.h>

namespace overlane::report {

namespace xml_test {

struct Row {
  const char* text;
  const char* xml;
};

constexpr Row kRows[] = {
    {"garden-dev/one", "garden-dev/one"},
    {"a <b> & \"c\"", "a &lt;b&gt; &amp; &quot;c&quot;"},
    {"two\nlines\x01", "two\\nlines\\x01"},
    {"no UTF-8 \xff", "no UTF-8 \\xff"},
    {"sch\xc3\xb6n", "sch\xc3\xb6n"},
    {"no character \xef\xbf\xbe\xef\xbf\xbf", "no character \xef\xbf\xbd\xef\xbf\xbd"},
};

TEST(XmlText, IsOneLineThatXmlCanHold) {
  for (const Row& row : kRows)
    EXPECT_EQ(xml_text(row.text), row.xml);
}

}  // namespace xml_test

}  // namespace overlane::report
