#include "tools/overlane/verbs/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace manual_test {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::StartsWith;

VerbOutline example() {
  const VerbOutline run{
      .words = {"example", "run"},
      .description = "Runs a \\ or two",
      .options = {
          {.names = {"PATH"}, .description = ".hidden", .is_argument = true, .required = true},
          {.names = {"-o", "--output"},
           .choices = {"table", "json"},
           .description = "What it looks like",
           .excludes = {"--summary"}}}};
  return {.words = {"example"}, .description = "An example.", .verbs = {run}};
}

TEST(Manual, HasAPageForTheProgramAndForEachVerb) {
  const std::vector<ManualPage> pages = manual_pages(example(), "1.2");
  ASSERT_THAT(pages, ElementsAre(Field(&ManualPage::name, "example"),
                                 Field(&ManualPage::name, "example-run")));
  EXPECT_THAT(pages[0].text,
              StartsWith(".TH EXAMPLE 1 \"\" \"example 1.2\" \"User Commands\"\n"
                         ".SH NAME\nexample \\- An example\n.SH SYNOPSIS\n\\fBexample\\fR VERB\n"));
  EXPECT_THAT(pages[0].text, HasSubstr(".SH SEE ALSO\n.BR example\\-run (1)\n"));
}

TEST(Manual, EscapesTextThatRoffWouldInterpret) {
  const std::string text = manual_pages(example(), "1.2")[1].text;
  EXPECT_THAT(text, HasSubstr("example\\-run \\- Runs a \\e or two\n"));
  EXPECT_THAT(text, HasSubstr(".TP\n\\fIPATH\\fR\n\\&.hidden.\n"));
  EXPECT_THAT(text, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fBtable|json\\fR\n"
                              "What it looks like; not with \\-\\-summary.\n"));
}

TEST(Manual, IsWrittenToAFolder) {
  const std::string folder = write_temporary("overlane.1", "");
  const Answer answer = run_overlane("reference --man " + folder.substr(0, folder.rfind('/')));
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(read_text(folder), StartsWith(".TH OVERLANE 1 "));
  EXPECT_EQ(run_overlane("reference --man /nowhere").exit_code, 4);
}

}  // namespace manual_test

}  // namespace overlane::command
