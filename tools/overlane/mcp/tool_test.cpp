#include "tools/overlane/mcp/tool.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::mcp {

namespace tool_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array kTrace = {
    ArgumentRow{"--to"},       ArgumentRow{"--df"},
    ArgumentRow{"--reply"},    ArgumentRow{"--without", ArgumentForm::List},
    ArgumentRow{"--protocol"}, ArgumentRow{"--nodes"}};
constexpr std::array kCheck = {ArgumentRow{"--update", ArgumentForm::Pair}, ArgumentRow{"--rule"}};
constexpr std::array kRun = {ArgumentRow{"--why", ArgumentForm::Word}};

Tool trace() {
  static const ToolRow row{.verb = command::verb_facts("trace"), .arguments = kTrace};
  return Tool(row);
}
Tool check() {
  static const ToolRow row{.verb = command::verb_facts("check"), .arguments = kCheck};
  return Tool(row);
}
Tool run() {
  static const ToolRow row{
      .verb = command::verb_facts("run"), .arguments = kRun, .fixed_option = "--summary"};
  return Tool(row);
}

std::vector<std::string> words_of(const Tool& tool, const char* arguments) {
  const auto call = tool.call(Json::parse(arguments));
  return call ? call->arguments : std::vector{call.error()};
}

TEST(Tool, WritesTheCommandLineOfACall) {
  EXPECT_THAT(words_of(trace(), R"({"paths":["a.yaml","b"]})"),
              ElementsAre("trace", "--", "a.yaml", "b"));
  EXPECT_THAT(words_of(trace(), R"({"manifests":"kind: Shoot"})"), ElementsAre("trace", "--", "-"));
  EXPECT_THAT(words_of(trace(), R"({"manifests":"x","paths":["a.yaml"]})"),
              ElementsAre("trace", "--", "a.yaml", "-"));
  EXPECT_THAT(words_of(trace(), R"({"manifests":"x","paths":["-","a.yaml"]})"),
              ElementsAre("trace", "--", "-", "a.yaml"));
  EXPECT_THAT(words_of(trace(), R"({"paths":["a"],"nodes":3,"df":false,"reply":true,
                                   "without":["tunl0","vpc: x"],"protocol":"udp"})"),
              ElementsAre("trace", "--no-df", "--reply", "--without=tunl0", "--without=vpc: x",
                          "--protocol=udp", "--nodes=3", "--", "a"));
  EXPECT_THAT(words_of(trace(), R"({"paths":["a"],"df":true,"reply":false})"),
              ElementsAre("trace", "--df", "--", "a"));
  EXPECT_THAT(words_of(check(), R"({"update":["old.yaml","-"],"manifests":"x"})"),
              ElementsAre("check", "--update", "old.yaml", "-", "--"));
  EXPECT_THAT(words_of(run(), R"({"paths":["a"],"why":"cpu"})"),
              ElementsAre("run", "--summary", "--why=cpu", "--", "a"));
}

TEST(Tool, KeepsValuesFromBecomingOptions) {
  EXPECT_THAT(words_of(trace(), R"({"paths":["a"],"to":"--pcap=x"})"),
              ElementsAre("trace", "--to=--pcap=x", "--", "a"));
  for (const char* arguments :
       {R"({"paths":["--pcap=x"]})", R"({"paths":["-o"]})", R"({"paths":["--"]})"})
    EXPECT_THAT(words_of(trace(), arguments), ElementsAre(HasSubstr("begins with a hyphen")));
  EXPECT_THAT(words_of(check(), R"({"update":["--html","x"]})"),
              ElementsAre(HasSubstr("begins with a hyphen")));
}

TEST(Tool, NamesTheArgumentThatDoesNotFit) {
  struct Row {
    const char* arguments;
    const char* error;
  };
  for (const Row& row :
       {Row{"{}", "there is no input; give manifests"},
        Row{R"({"paths":[]})", "there is no input; give manifests"},
        Row{R"({"path":["a"]})", "there is no argument path; did you mean paths?"},
        Row{R"({"paths":["a"],"pcap":"x"})", "there is no argument pcap"},
        Row{R"({"paths":["a"],"--pcap":"x"})", "there is no argument --pcap"},
        Row{R"({"paths":"a"})", "argument paths: give a list of strings"},
        Row{R"({"paths":[1]})", "argument paths: give a string"},
        Row{R"({"paths":[""]})", "argument paths: the text is empty"},
        Row{R"({"paths":["a\u0000b"]})", "argument paths: the text contains a null character"},
        Row{R"({"paths":["-"]})", "argument manifests: \"-\" names this text"},
        Row{R"({"paths":["a"],"to":7})", "argument to: give a string"},
        Row{R"({"paths":["a"],"to":""})", "argument to: the text is empty"},
        Row{R"({"paths":["a"],"nodes":"3"})", "argument nodes: give a whole number"},
        Row{R"({"paths":["a"],"nodes":3.5})", "argument nodes: give a whole number"},
        Row{R"({"paths":["a"],"reply":1})", "argument reply: give true or false"},
        Row{R"({"paths":["a"],"without":"x"})", "argument without: give a list of strings"},
        Row{R"({"manifests":7})", "argument manifests: give a string"}})
    EXPECT_THAT(words_of(trace(), row.arguments), ElementsAre(HasSubstr(row.error)))
        << row.arguments;
  EXPECT_THAT(words_of(check(), R"({"update":["a"]})"),
              ElementsAre("argument update: give two strings"));
}

}  // namespace tool_test

}  // namespace overlane::mcp
