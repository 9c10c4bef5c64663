#include "results/report/document_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/answer/testing/renderings.h"
#include "results/report/formats/svg.h"

namespace overlane::report {
namespace document_text_test {

using answer::Detail;
using answer::testing::example_document;
using answer::testing::Format;
using answer::testing::missing_texts;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DocumentText, HasEveryText) {
  const answer::Document document = example_document();
  EXPECT_THAT(missing_texts(document, Detail::Always, document_text(document, {}), Format::Text),
              IsEmpty());
  EXPECT_THAT(missing_texts(document, Detail::OnRequest,
                            document_text(document, {.with_details = true}), Format::Text),
              IsEmpty());
}

TEST(DocumentText, LeadsWithTheVerdictAndKeepsDetailsForThoseWhoAsk) {
  const std::string text = document_text(example_document(), {});
  EXPECT_THAT(text, StartsWith("verdict: no-go\ngarden-dev/one: "));
  EXPECT_THAT(text, Not(HasSubstr("over time")));
  EXPECT_THAT(text, HasSubstr("    # garden\n    kubectl -n garden-dev patch"));
  EXPECT_THAT(text, HasSubstr("    for node in a b; do\n      echo \"$node\"\n    done\n"));
  EXPECT_THAT(text, HasSubstr("strategies"));
}

TEST(DocumentText, ACommandIsBrokenOutsideOfQuotesOnly) {
  struct Row {
    const char* command;
    const char* text;
  };
  const Row rows[] = {
      {"a bb ccc", "  a bb ccc\n"},
      {"aaaa bbbb cccc ddd", "  aaaa bbbb cccc ddd\n"},
      {"aaaa bbbb cccc dddd", "  aaaa bbbb cccc \\\n   dddd\n"},
      {"aaaa 'bbbb cccc dddd eeee' f", "  aaaa \\\n   'bbbb cccc dddd eeee' \\\n   f\n"},
      {"aaaa \"b \\\" c d e f g h\" i", "  aaaa \\\n   \"b \\\" c d e f g h\" \\\n   i\n"},
      {"aaaa b\\ c\\ d\\ e\\ f\\ g h", "  aaaa \\\n   b\\ c\\ d\\ e\\ f\\ g \\\n   h\n"},
      {"# a comment stays one line", "  # a comment stays one line\n"},
      {"aaa # a comment at its end", "  aaa # a comment at its end\n"},
      {"for n in a; do\n  run $n\ndone", "  for n in a; do\n    run $n\n  done\n"},
      {"sh -c 'a\n b' c", "  sh -c 'a\n b' c\n"},
      {"a\x1b[31mb", "  a\\x1b[31mb\n"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(command_text(row.command, 2, 20), row.text) << row.command;
}

TEST(DocumentText, AColumnLeavesATableThatIsTooWide) {
  const auto text_of = [](const std::string& place) {
    const answer::Table table{
        .title = "of",
        .columns = {{.name = "range", .align = answer::Align::Left},
                    {.name = "place", .align = answer::Align::Left, .may_leave = true}},
        .rows = {{.label = "one", .cells = {{.text = "10.0.0.0/8"}, {.text = place}}},
                 {.label = "two",
                  .cells = {{.text = "10.1.0.0/16"}, {.text = "b.yaml:1:2"}},
                  .explanation = "overlap"}}};
    return document_text({.title = "", .sections = {{.heading = "", .blocks = {table}}}}, {});
  };
  EXPECT_EQ(text_of("a.yaml:1:2"),
            "of     range        place\n"
            "  one  10.0.0.0/8   a.yaml:1:2\n"
            "  two  10.1.0.0/16  b.yaml:1:2\n"
            "      overlap\n");
  const std::string far(70, 'a');
  EXPECT_EQ(text_of(far),
            "of     range  place\n"
            "  one  10.0.0.0/8\n"
            "        " +
                far +
                "\n"
                "  two  10.1.0.0/16\n"
                "        b.yaml:1:2\n"
                "      overlap\n");
}

TEST(DocumentText, AChartHasTheLargestShareOfEachCharacter) {
  answer::Chart chart{.title = "", .shade = "pairs", .axis = "later", .begin = 0, .end = 4};
  chart.rows = {{"a", {0, 100'000, 300'000, 600'000, 1'000'000}}};
  EXPECT_THAT(chart_text(chart), StartsWith("  a| .:+#|\n"));
  chart.rows[0].ppm.assign(150, 0);
  chart.rows[0].ppm[149] = 1'000'000;
  std::istringstream lines(chart_text(chart));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.size(), 80u);
  EXPECT_THAT(line, ::testing::EndsWith(" #|"));
}

TEST(DocumentMarkdown, HasEveryText) {
  const answer::Document document = example_document();
  EXPECT_THAT(
      missing_texts(document, Detail::Always, document_markdown(document), Format::Markdown),
      IsEmpty());
  EXPECT_THAT(missing_texts(document, Detail::OnRequest, document_markdown(document, true),
                            Format::Markdown),
              IsEmpty());
}

TEST(DocumentMarkdown, EscapesMarkupAndKeepsCommandsVerbatim) {
  const std::string text = document_markdown(example_document());
  EXPECT_THAT(text, StartsWith("# Switch of a\\_b \\<one> \\| two\n\n**Verdict: no-go**: "));
  EXPECT_THAT(text, HasSubstr("**Warning**: set `ip link set a\\|b down` on 2\\_nodes\n"));
  EXPECT_THAT(text, HasSubstr("   ```sh\n   # garden\n   kubectl -n garden-dev patch shoot one "
                              "--type merge -p '{\"spec\": {\"a long key\": \"a long value\", "));
  EXPECT_THAT(text, HasSubstr("| a\\_b | go\\|stop | 1.0 s | explained by `x\\|y` |\n"));
  EXPECT_THAT(text, HasSubstr("## Recommended: today\n"));
}

TEST(ChartSvg, TheTimeAxisIsInTheUnitThatFits) {
  answer::Chart chart{.title = "a <b>", .axis = "after the change", .begin = 0, .end = 120};
  EXPECT_THAT(chart_svg(chart), HasSubstr(">seconds after the change<"));
  EXPECT_THAT(chart_svg(chart), HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(chart_svg(chart), Not(HasSubstr("class=\"free\""))) << "there are no rows to explain";
  chart.end = 3600;
  EXPECT_THAT(chart_svg(chart), HasSubstr(">minutes after the change<"));
  chart.end = 90'000;
  EXPECT_THAT(chart_svg(chart), HasSubstr(">hours after the change<"));
}

}  // namespace document_text_test
}  // namespace overlane::report
