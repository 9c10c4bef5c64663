#include "tools/overlane/cli/output.h"

#include <array>
#include <cstdlib>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace colour_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kEscape = "\x1b[";

std::string without_escapes(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

/// Answers with a verdict, findings of each severity, or a dropped packet.
constexpr std::array kCommands = {
    "check shoot-aws",
    "check shoot-aws -o markdown",
    "explain shoot-aws --summary",
    "explain shoot-aws --compare-to shoot-aws-ipip",
    "overlap shoot-aws shoot-aws-live shoot-gcp --notes",
    "trace shoot-aws",
    "trace shoot-aws --without 'default via'",
    "migrate shoot-aws --to ipip --runs 1",
    "run shoot-aws --summary --no-ranges",
    "run nothing",
};

TEST(Colour, OnlyAddsEscapes) {
  for (const std::string command : kCommands) {
    const Answer never = run_overlane(command + " --color never");
    const Answer always = run_overlane(command + " --color always");
    EXPECT_EQ(never.exit_code, always.exit_code) << command;
    EXPECT_THAT(never.out + never.err, Not(HasSubstr(kEscape))) << command;
    EXPECT_EQ(without_escapes(always.out), never.out) << command;
    EXPECT_EQ(without_escapes(always.err), never.err) << command;
  }
}

TEST(Colour, MarksVerdictsAndSeverities) {
  EXPECT_THAT(run_overlane("trace shoot-aws --color always").out,
              HasSubstr("\x1b[1;32mDELIVERED\x1b[0m to"));
  EXPECT_THAT(run_overlane("trace shoot-aws --without 'default via' --color always").out,
              HasSubstr("\x1b[1;31mDROPPED\x1b[0m at gate"));
  EXPECT_THAT(run_overlane("check shoot-aws --color always").out,
              HasSubstr(": \x1b[1;36mnote:\x1b[0m garden-dev/"));
  EXPECT_THAT(run_overlane("run nothing --color always").err,
              HasSubstr("\x1b[1;31merror:\x1b[0m "));
  EXPECT_THAT(run_overlane("migrate shoot-aws --to ipip --runs 1 --color always").out,
              HasSubstr("\x1b[1mverdict: \x1b[0m\x1b[1;35mgo-with-impact"));
}

TEST(Colour, FollowsTheEnvironment) {
  struct Row {
    const char* environment;
    const char* options;
    bool is_coloured;
  };
  for (const Row& row :
       {Row{"", "", false}, Row{"", "--color auto", false}, Row{"CLICOLOR_FORCE=1", "", true},
        Row{"CLICOLOR_FORCE=0", "", false}, Row{"CLICOLOR_FORCE=1 NO_COLOR=1", "", false},
        Row{"CLICOLOR_FORCE=1", "--color never", false},
        Row{"CLICOLOR_FORCE=1", "--no-color", false}, Row{"NO_COLOR=1", "--color always", true},
        Row{"NO_COLOR=", "--color always", true}}) {
    const std::string out =
        run_overlane(std::string("trace shoot-aws ") + row.options, row.environment).out;
    EXPECT_EQ(out.find(kEscape) != out.npos, row.is_coloured)
        << row.environment << ' ' << row.options;
  }
}

TEST(Colour, IsUsedOnATerminalThatHasIt) {
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "no script (util-linux)";
  const auto on_terminal = [](const std::string& environment) {
    return run_overlane("trace shoot-aws' /dev/null", environment + " script -qec '").out;
  };
  EXPECT_THAT(on_terminal("TERM=xterm"), HasSubstr(kEscape));
  EXPECT_THAT(on_terminal("TERM=dumb"), Not(HasSubstr(kEscape)));
  EXPECT_THAT(on_terminal("TERM=xterm NO_COLOR=1"), Not(HasSubstr(kEscape)));
  EXPECT_THAT(on_terminal("TERM=xterm CLICOLOR=0"), Not(HasSubstr(kEscape)));
}

}  // namespace colour_test

}  // namespace overlane::command
