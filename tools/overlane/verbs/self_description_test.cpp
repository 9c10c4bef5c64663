#include "tools/overlane/verbs/self_description.h"

#include <array>
#include <cstdio>
#include <cstdlib>

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

namespace completion_test {

using testing::HasSubstr;

std::string output_of(const std::string& command) {
  std::array<char, 4096> answer{};
  std::FILE* pipe = popen(command.c_str(), "r");
  const std::size_t size = std::fread(answer.data(), 1, answer.size(), pipe);
  pclose(pipe);
  return std::string(answer.data(), size);
}

/// The words that bash offers after `line`, whose last word is incomplete.
std::string offer(const std::string& line) {
  return "COMP_WORDS=(" + line +
         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _overlane; echo \"${COMPREPLY[*]}\"";
}

std::string offered_by_bash(const std::string& line) {
  const std::string script =
      write_temporary("completion.bash", run_overlane("completion bash").out);
  return output_of("bash -c 'source " + script + "; " + offer(line) + "'");
}

/// Calls the function as zsh's bashcompinit does, but without a terminal. The function needs only
/// compgen of bashcompinit; here compgen records the words that zsh would offer.
std::string offered_by_zsh(const std::string& line) {
  const std::string script = write_temporary("_overlane", run_overlane("completion zsh").out);
  return output_of(
      "zsh -f -c 'autoload() { }; bashcompinit() { }; complete() { }; _bash_complete() { }; "
      "compgen() { local w; for w in ${=2}; do [[ $w == $4* ]] && print -r -- $w; done }; source " +
      script + "; offer() { emulate -L sh; setopt kshglob noshglob braceexpand; " + offer(line) +
      "; }; offer'");
}

struct Offer {
  const char* line;
  const char* offered;
};
constexpr std::array kOffers = {
    Offer{"overlane expl", "explain\n"},
    Offer{"overlane explain --st", "--stage\n"},
    Offer{"overlane explain --stage \"\"", "auto create live\n"},
    Offer{"overlane explain --stage l", "live\n"},
    Offer{"overlane explain --out \"\"", "\n"},
    Offer{"overlane testbed ru", "run\n"},
    Offer{"overlane testbed run --pl", "--place\n"},
    Offer{"overlane schema top", "topology\n"},
    Offer{"overlane run --st", "--stage\n"},
    Offer{"overlane check --ignore aws-route-f", "aws-route-failure-hidden\n"},
    Offer{"overlane check --explain-rule aws-route-f", "aws-route-failure-hidden\n"},
    Offer{"overlane migrate --disturb roll", "rollback@120s\n"},
    Offer{"overlane migrate --accept node-p", "node-ports\n"},
    Offer{"overlane explain shoot-alic", "shoot-alicloud\n"},
    Offer{"overlane run goodput", "goodput-mtu1500\n"},
    Offer{"overlane explain --set landscape.openstack.ovn",
          "landscape.openstack.ovn=true landscape.openstack.ovn=false\n"},
    Offer{"overlane run --set landscape.route-quota.aw", "landscape.route-quota.aws=\n"},
    Offer{"overlane migrate --set migration.fabric.p",
          "migration.fabric.passes-tunnel=true migration.fabric.passes-tunnel=false\n"},
    Offer{"overlane calibrate --table daocl", "daocloud-r620\n"},
};

TEST(Completion, BashOffersVerbsOptionsAndWords) {
  for (const Offer& row : kOffers)
    EXPECT_EQ(offered_by_bash(row.line), row.offered) << row.line;
}

TEST(Completion, ZshOffersTheSame) {
  if (std::system("command -v zsh >/dev/null") != 0)
    GTEST_SKIP() << "no zsh: tools/setup installs it";
  for (const Offer& row : kOffers)
    EXPECT_EQ(offered_by_zsh(row.line), row.offered) << row.line;
  EXPECT_THAT(run_overlane("completion zsh").out, testing::StartsWith("#compdef overlane\n"));
}

TEST(Completion, FishKnowsVerbsAndWords) {
  const Answer answer = run_overlane("completion fish");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_use_subcommand' -f -a explain "
                                    "-d 'Show the"));
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_seen_subcommand_from explain' "
                                    "-l stage -x -a 'auto create live' -d "));
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_seen_subcommand_from check' "
                                    "-l rule -r -a '"));
  EXPECT_THAT(answer.out, HasSubstr("complete -c overlane -n '__fish_seen_subcommand_from trace' "
                                    "-a 'shoot-"));
}

TEST(Reference, ShowsTheWholeNameOfAValue) {
  EXPECT_THAT(run_overlane("reference").out,
              HasSubstr("| `--to` | `POD\\|NODE\\|ADDRESS[:PORT]\\|internet` |"));
}

TEST(Completion, UnknownShellIsRefused) {
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
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("overlane serve")));
}

}  // namespace completion_test

}  // namespace overlane::command
