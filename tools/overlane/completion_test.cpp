#include <array>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace completion_test {

using testing::HasSubstr;

/// What bash offers after `line`, whose last word is being typed.
std::string offered(const std::string& line) {
  const std::string script =
      write_temporary("completion.bash", run_overlane("completion bash").out);
  const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + line +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _overlane; "
                              "echo \"${COMPREPLY[*]}\"'";
  std::array<char, 4096> answer{};
  std::FILE* pipe = popen(command.c_str(), "r");
  const std::size_t size = std::fread(answer.data(), 1, answer.size(), pipe);
  pclose(pipe);
  return std::string(answer.data(), size);
}

TEST(Completion, BashOffersVerbsOptionsAndWords) {
  struct Row {
    const char* line;
    const char* offered;
  };
  for (const Row& row : {
           Row{"overlane expl", "explain\n"},
           Row{"overlane explain --st", "--stage\n"},
           Row{"overlane explain --stage \"\"", "auto create live\n"},
           Row{"overlane explain --stage l", "live\n"},
           Row{"overlane explain --out \"\"", "\n"},
           Row{"overlane testbed ru", "run\n"},
           Row{"overlane testbed run --pl", "--place\n"},
           Row{"overlane schema top", "topology\n"},
           Row{"overlane run --st", "--stage\n"},
       })
    EXPECT_EQ(offered(row.line), row.offered) << row.line;
}

TEST(Completion, FishKnowsVerbsAndWords) {
  const Answer answer = run_overlane("completion fish");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_use_subcommand' -f -a explain "
                                    "-d 'Show the"));
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_seen_subcommand_from explain' "
                                    "-l stage -x -a 'auto create live' -d "));
}

TEST(Reference, ShowsTheWholeNameOfAValue) {
  EXPECT_THAT(run_overlane("reference").out,
              HasSubstr("| `--to` | `POD\\|NODE\\|ADDRESS[:PORT]\\|internet` |"));
}

TEST(Completion, NeedsAShellThatItKnows) {
  EXPECT_EQ(run_overlane("completion").exit_code, 2);
  EXPECT_EQ(run_overlane("completion csh").exit_code, 2);
}

TEST(Reference, ShowsEveryVerbAndOption) {
  const Answer answer = run_overlane("reference");
  EXPECT_EQ(answer.exit_code, 0);
  for (const char* line :
       {"\n## overlane explain\n", "\n## overlane testbed run\n",
        "overlane explain [OPTION…] PATH…", "| `--stage` | `auto`, `create`, `live` | ",
        "| `--node` | `NAME` | The node to show (default: the first); only with `--node-state` |"})
    EXPECT_THAT(answer.out, HasSubstr(line));
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("serve")));
}

}  // namespace completion_test
}  // namespace overlane::command
