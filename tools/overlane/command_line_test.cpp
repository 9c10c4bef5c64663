#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace command_line_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(CommandLine, UsageErrorExitsWith2AndOneLineOnStandardError) {
  for (const char* arguments :
       {"--nonsense", "nonsense", "migrate shoot.yaml --runs 0", "version --nonsense",
        "version -o yaml", "version -o", "version surplus", "version --out", "explain",
        "run x --seed -1", "run x --seed 1.5", "explain x --threads 0", "explain x --stage soon",
        "explain x --fail-on never", "explain x --seed 1", "overlap x --seed 1",
        "testbed run x --seed 1", "testbed print x --seed 1"}) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, StartsWith("overlane: error: ")) << arguments;
    EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
  }
  EXPECT_THAT(run_overlane("mitigate x").err, HasSubstr("there is no verb \"mitigate\""));
  EXPECT_THAT(run_overlane("version -o yaml").err, HasSubstr("\"yaml\" is not supported"));
}

TEST(CommandLine, ShowsAnExampleForEachQuestionWithoutArguments) {
  const Answer answer = run_overlane("");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err, "");
  EXPECT_LE(std::ranges::count(answer.out, '\n'), 24);
  std::istringstream lines(answer.out);
  std::size_t examples = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(report::display_width(line), 80u) << line;
    const auto at = line.find(" overlane ");
    if (!line.starts_with("  ") || at == line.npos) continue;
    ++examples;
    const std::string arguments = line.substr(at + 10);
    EXPECT_EQ(run_overlane(arguments.substr(0, arguments.find(' ')) + " --help").exit_code, 0);
    if (arguments.find("shoot-aws") != arguments.npos && line.find("sudo") == line.npos) {
      const Answer example = run_overlane(arguments);
      EXPECT_THAT(example.exit_code, testing::AnyOf(0, 1)) << example.err;
      EXPECT_THAT(example.out, Not(IsEmpty())) << line;
    }
  }
  EXPECT_EQ(examples, 8u);
}

TEST(CommandLine, EveryVerbHasAnExampleWithOptionsThatItHas) {
  for (const VerbFacts& facts : kVerbs) {
    const std::string example(facts.example);
    EXPECT_EQ(example_of(facts.name), facts.example) << facts.name;
    std::istringstream words(example.substr(example.find("overlane ") + 9));
    std::string verb;
    words >> verb;
    EXPECT_EQ(verb, facts.name);
    const std::string help = run_overlane(verb + " --help").out;
    for (std::string word; words >> word;) {
      if (word.starts_with("--")) {
        EXPECT_THAT(help, HasSubstr(word)) << example;
      }
    }
  }
}

TEST(CommandLine, HelpGroupsEachVerb) {
  const std::string help = run_overlane("help").out;
  std::size_t before = 0;
  for (const char* line : {"\nLook:\n", "\n  explain ", "\n  decode ", "\nPredict:\n", "\n  run ",
                           "\nMeasure:\n", "\n  testbed ", "\nWatch over time:\n", "\n  bench ",
                           "\n  merge ", "\nOther:\n", "\n  version "}) {
    const std::size_t at = help.find(line);
    ASSERT_NE(at, help.npos) << line;
    EXPECT_GE(at, before) << line;
    before = at;
  }
}

TEST(CommandLine, AcceptsCommonFormsOfOtherPrograms) {
  EXPECT_THAT(run_overlane("--version").out, StartsWith("overlane "));
  EXPECT_EQ(run_overlane("--version").out, run_overlane("version").out);
  EXPECT_EQ(run_overlane("help").out, run_overlane("--help").out);
  EXPECT_EQ(run_overlane("help testbed run").out, run_overlane("testbed run --help").out);
  EXPECT_EQ(run_overlane("help nonsense").exit_code, 2);
  for (const char* option : {"-f x", "--filename=x"})
    EXPECT_THAT(run_overlane(std::string("check ") + option).err,
                HasSubstr("files and folders are plain arguments, and - is standard input"));
  EXPECT_THAT(
      run_overlane("check").err,
      HasSubstr("PATH is required, as in `overlane check shoot-aws`: files and folders are "));
}

TEST(CommandLine, SuggestsTheClosestVerbAndOption) {
  struct Row {
    const char* arguments;
    const char* meant;
  };
  for (const Row& row : {
           Row{"chekc x", "there is no verb \"chekc\"; did you mean check?"},
           Row{"check x --quite", "there is no option --quite; did you mean --quiet?"},
           Row{"trace x --svg y", "there is no option --svg; overlap, migrate have it"},
           Row{"check x --rule-page", "there is no option --rule-page; "},
           Row{"run x --sumary=1", "there is no option --sumary; did you mean --summary?"},
           Row{"testbed run x --nods 3", "there is no option --nods; did you mean --nodes?"},
           Row{"check x -o sarif",
               "choose one of table, json, csv, markdown, or give --sarif FILE"},
           Row{"explain x --set nothing",
               "the keys after landscape. are calico.version, openstack."},
           Row{"lint x", "there is no verb \"lint\"; did you mean check?"},
           Row{"diff a b", "`overlane explain OLD --compare-to NEW` compares manifests"},
           Row{"shoot.yaml", "a file follows a verb, as in `overlane explain shoot.yaml`"},
           Row{"- -o json", "a file follows a verb, as in `overlane explain -`"},
           Row{"explain x -n garden-dev", "--shoot NAMESPACE/NAME names a shoot"},
           Row{"bench",
               "SUITE is required, as in `overlane bench quick`; `overlane help bench` names"},
           Row{"run x --summary -o json",
               "a summary is text or markdown; without it, the output has all"},
           Row{"store", "one of list, show, export, noise, import must follow store; "},
           Row{"version --json", "there is no option --json; give -o json"},
           Row{"compare shoot-aws shoot-gcp", "`overlane explain OLD --compare-to NEW` compares"},
           Row{"explain x --set landscape.opnstack.ovn=true", "did you mean openstack.ovn?"},
       })
    EXPECT_THAT(run_overlane(row.arguments).err, HasSubstr(row.meant)) << row.arguments;
}

TEST(CommandLine, AQuestionEndsItsSentence) {
  const std::string said = run_overlane("explian x").err;
  EXPECT_THAT(said, HasSubstr("did you mean explain? `overlane help` names the verbs"));
  EXPECT_THAT(run_overlane("nonsense x").err, HasSubstr("\"nonsense\"; `overlane help`"));
}

TEST(CommandLine, AMissingPathIsComparedWithTheNamesOfTheLibrary) {
  for (const char* verb : {"explain", "check", "trace", "run", "migrate --to routed", "overlap"})
    for (const char* path : {"shoot-awz", "shoot-awz.yaml"}) {
      const Answer answer = run_overlane(std::string(verb) + " " + path);
      EXPECT_THAT(unwrapped(answer.err + answer.out),
                  HasSubstr("[unreadable-file]; did you mean shoot-aws? The library has "))
          << verb;
    }
  const std::string listed = unwrapped(run_overlane("run nosuch").err);
  EXPECT_THAT(listed, HasSubstr("give the path of a file, or a name of the library: "));
  EXPECT_THAT(listed, HasSubstr("overlay-vs-routed, "));
  EXPECT_THAT(listed, HasSubstr("shoot-gcp, "));
  EXPECT_THAT(unwrapped(run_overlane("explain no/such.yaml").err),
              HasSubstr("[unreadable-file]; check the path and its permissions"));
}

TEST(CommandLine, ListsTheKeysOfSet) {
  for (const char* verb : {"explain", "check", "run", "migrate", "testbed run", "overlap"}) {
    const Answer answer = run_overlane(std::string(verb) + " --set list");
    EXPECT_EQ(answer.exit_code, 0) << verb;
    EXPECT_EQ(answer.err, "") << verb;
    EXPECT_THAT(answer.out,
                HasSubstr("\n  openstack.ovn                   true|false           unknown\n"
                          "      Whether OpenStack's networks are OVN's"));
    EXPECT_EQ(answer.out.find("--set migration.KEY=VALUE") != answer.out.npos,
              std::string_view(verb) == "migrate");
    std::istringstream lines(answer.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(report::display_width(line), 80u) << line;
  }
  EXPECT_EQ(run_overlane("run --set list >/dev/full").exit_code, 4);
}

TEST(CommandLine, ComparesManifestsElsewhere) {
  const std::string file =
      write_temporary("shoot.json", "{\"apiVersion\": \"core.gardener.cloud/v1beta1\"}");
  const Answer answer = run_overlane("compare " + file + " latest");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("compare judges runs of a suite; "));
}

TEST(CommandLine, HelpFits80ColumnsAndEndsWithTheExitCodes) {
  for (const char* verb : {"", "calibrate", "check", "completion", "decode", "explain", "overlap",
                           "reference", "run", "schema", "testbed run", "trace", "version"}) {
    const std::string help = run_overlane(std::string(verb) + " --help").out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(report::display_width(line), 80u) << verb << ": " << line;
    EXPECT_THAT(help, HasSubstr("\n  130 interrupted\n")) << verb;
  }
}

TEST(CommandLine, HelpGoesToStandardOutputAndNamesTheExitCodes) {
  const Answer answer = run_overlane("--help");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("130 interrupted"));
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_EQ(run_overlane("version --help").exit_code, 0);
}

TEST(CommandLine, VersionHasBothFormats) {
  EXPECT_THAT(run_overlane("version").out, StartsWith("overlane "));
  const auto json = nlohmann::ordered_json::parse(run_overlane("version -o json").out);
  EXPECT_EQ(json.begin().key(), "schema_version");
  EXPECT_EQ(json["kind"], "Version");
  EXPECT_GE(json["cores"], 1);
}

TEST(CommandLine, ResultsGoToTheNamedFile) {
  const std::string file = write_temporary("version.json", "");
  const Answer answer = run_overlane("version -o json --out " + file);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(read_text(file))["kind"], "Version");
}

TEST(CommandLine, UnwritableResultExitsWith4AndNamesTheFile) {
  const Answer full = run_overlane("version --out /dev/full");
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: No space left on device"));

  const Answer full_output = run_overlane("version >/dev/full");
  EXPECT_EQ(full_output.exit_code, 4);
  EXPECT_THAT(full_output.err, HasSubstr("standard output: No space left on device"));

  const Answer missing = run_overlane("version --out /nonexistent/result.json");
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/result.json: No such file"));
}

TEST(CommandLine, InterruptExitsWith130) {
  const Answer answer =
      run_overlane("explain -", "sleep 2 | timeout --preserve-status --signal INT 0.2");
  EXPECT_EQ(answer.exit_code, 130);
}

TEST(CommandLine, NoColoursAndNoProgressWithoutATerminal) {
  const Answer answer = run_overlane("version");
  EXPECT_THAT(answer.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(answer.err, IsEmpty());
}

TEST(CommandLine, WritesTheResultAsJsonBesidesTheText) {
  const std::string file = write_temporary("beside.json", "");
  for (const std::string& verb :
       {std::string("explain shoot-aws"), std::string("check shoot-aws")}) {
    const Answer answer = run_overlane(verb + " --json " + file);
    EXPECT_EQ(answer.out, run_overlane(verb).out);
    EXPECT_EQ(read_text(file), run_overlane(verb + " -o json").out);
    EXPECT_EQ(run_overlane(verb + " --json /dev/fd/3", "exec 3>" + file + ";").exit_code, 0);
    EXPECT_EQ(read_text(file), run_overlane(verb + " -o json").out);
  }
  EXPECT_THAT(run_overlane("check shoot-aws --json -").err, HasSubstr("give -o json"));
  const std::string manifest = write_temporary("input.yaml", "kind: Shoot\n");
  for (const char* option : {"--json ", "--html "})
    EXPECT_THAT(run_overlane("check " + manifest + " " + option + manifest).err,
                HasSubstr("would overwrite a file that is read"));
  EXPECT_EQ(read_text(manifest), "kind: Shoot\n");
}

}  // namespace command_line_test

}  // namespace overlane::command
