#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::command {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Answer {
  int exit_code;
  std::string out;
  std::string err;
};

std::string read_all(const std::string& name) {
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs `overlane` with arguments in shell syntax.
Answer overlane(const std::string& arguments) {
  const std::string err = testing::TempDir() + "overlane_command_line_test.err";
  const std::string command = std::string(OVERLANE_BINARY) + " " + arguments + " 2>" + err;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out += static_cast<char>(c);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, read_all(err)};
}

TEST(CommandLine, WrongUseEndsWith2AndOneLineOnStandardError) {
  for (const char* arguments :
       {"", "--nonsense", "nonsense", "migrate shoot.yaml", "version --nonsense", "version -o yaml",
        "version -o", "version surplus", "version --out"}) {
    const Answer answer = overlane(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, StartsWith("overlane: error: ")) << arguments;
    EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
  }
  EXPECT_THAT(overlane("migrate x").err, HasSubstr("there is no verb \"migrate\""));
  EXPECT_THAT(overlane("version -o yaml").err, HasSubstr("\"yaml\" is not supported"));
}

TEST(CommandLine, HelpGoesToStandardOutputAndNamesTheExitCodes) {
  const Answer answer = overlane("--help");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("130 interrupted"));
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_EQ(overlane("version --help").exit_code, 0);
}

TEST(CommandLine, VersionSpeaksBothFormats) {
  EXPECT_THAT(overlane("version").out, StartsWith("overlane "));
  const auto json = nlohmann::ordered_json::parse(overlane("version -o json").out);
  EXPECT_EQ(json.begin().key(), "schema_version");
  EXPECT_EQ(json["kind"], "Version");
  EXPECT_GE(json["cores"], 1);
}

TEST(CommandLine, ResultsGoToTheFileThatIsNamed) {
  const std::string file = testing::TempDir() + "overlane_version.json";
  const Answer answer = overlane("version -o json --out " + file);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(read_all(file))["kind"], "Version");
}

TEST(CommandLine, AResultThatCannotBeWrittenEndsWith4AndNamesTheFile) {
  const Answer full = overlane("version --out /dev/full");
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: No space left on device"));

  const Answer full_output = overlane("version >/dev/full");
  EXPECT_EQ(full_output.exit_code, 4);
  EXPECT_THAT(full_output.err, HasSubstr("standard output: No space left on device"));

  const Answer missing = overlane("version --out /nonexistent/result.json");
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/result.json: No such file"));
}

TEST(CommandLine, NoColoursAndNoWordOnStandardErrorAwayFromATerminal) {
  const Answer answer = overlane("version");
  EXPECT_THAT(answer.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(answer.err, IsEmpty());
}

}  // namespace
}  // namespace overlane::command
