#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {

namespace command_line_test {

using command::Answer;
using command::run_overlane;
using testing::StartsWith;

TEST(CommandLine, ErrorsBeginWithTheProgramsName) {
  for (const char* arguments : {"", "fly", "forward", "verify nobody.yaml --pcap nobody.pcap -x"}) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.err, StartsWith("overlane-fastpath: error: ")) << arguments;
    EXPECT_EQ(answer.out, "") << arguments;
  }
}

TEST(CommandLine, PrintsTheVersionOfTheBuild) {
  const Answer answer = run_overlane("version");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("overlane-fastpath 0."));
}

}  // namespace command_line_test

}  // namespace overlane::fastpath
