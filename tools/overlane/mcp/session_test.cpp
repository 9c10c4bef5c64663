#include "tools/overlane/mcp/session.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::mcp {

namespace session_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::array kArguments = {ArgumentRow{"--from"}, ArgumentRow{"--nodes"}};
const ToolRow kTrace{.verb = command::verb_facts("trace"),
                     .title = "Path",
                     .purpose = "Answers: where?",
                     .arguments = kArguments};

/// A session with one tool.
class SessionTest : public testing::Test {
 protected:
  std::string initialize(const std::string& version) {
    return only_line(fmt::format(
        R"({{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{}"}}}})",
        version));
  }
  std::string only_line(const std::string& message) {
    const Effects effects = session_.take(message);
    EXPECT_THAT(effects.calls, IsEmpty()) << message;
    EXPECT_THAT(effects.lines, SizeIs(1)) << message;
    return effects.lines.empty() ? "" : effects.lines.front();
  }
  /// The only call of a message that has no other effect.
  CallNumber only_call(const std::string& message) {
    const Effects effects = session_.take(message);
    EXPECT_THAT(effects.lines, IsEmpty()) << message;
    EXPECT_THAT(effects.calls, SizeIs(1)) << message;
    return effects.calls.empty() ? 0 : effects.calls.front().first;
  }

  const std::vector<Tool> tools_{Tool(kTrace)};
  const Resources resources_;
  Session session_{tools_, resources_, "1.2.3"};
};

std::string call(const std::string& id, const std::string& arguments) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"trace","arguments":{}}}}})",
      id, arguments);
}

const std::string kCall = call("1", R"({"paths":["a.yaml"]})");

TEST_F(SessionTest, AgreesOnTheVersionOfTheClientOrOffersTheNewest) {
  struct Row {
    const char* wanted;
    const char* agreed;
  };
  for (const Row& row : {Row{"2024-11-05", "2024-11-05"}, Row{"2025-03-26", "2025-03-26"},
                         Row{"2025-06-18", "2025-06-18"}, Row{"2025-11-25", "2025-11-25"},
                         Row{"2099-01-01", "2025-11-25"}, Row{"", "2025-11-25"}}) {
    session_ = Session(tools_, resources_, "1.2.3");
    const Json answer = Json::parse(initialize(row.wanted));
    EXPECT_EQ(answer["result"]["protocolVersion"], row.agreed) << row.wanted;
    EXPECT_EQ(answer["result"]["serverInfo"]["name"], "overlane");
    EXPECT_EQ(answer["result"]["serverInfo"]["version"], "1.2.3");
    EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
  }
}

TEST_F(SessionTest, AnswersEachInvalidMessageWithItsCode) {
  struct Row {
    const char* line;
    const char* answer;  // Without the message and what ends the line.
  };
  const std::string start = R"({"jsonrpc":"2.0","id":)";
  initialize("2025-06-18");
  for (
      const Row& row : {
          Row{"no JSON", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
          Row{"{\"jsonrpc\":\"2.0\",", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
          Row{"\"\xff\"", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
          Row{"{} {}", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
          Row{"7", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{"null", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{"{}", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{"[]", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{R"({"id":1,"method":"ping"})", R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,)"},
          Row{R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,)"},
          Row{R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
          Row{R"({"jsonrpc":"2.0","id":2,"method":7})",
              R"({"jsonrpc":"2.0","id":2,"error":{"code":-32600,)"},
          Row{R"({"jsonrpc":"2.0","id":"a","method":"ping","params":[1]})",
              R"({"jsonrpc":"2.0","id":"a","error":{"code":-32602,)"},
          Row{R"({"jsonrpc":"2.0","id":3,"method":"prompts/list"})",
              R"({"jsonrpc":"2.0","id":3,"error":{"code":-32601,)"},
          Row{R"({"jsonrpc":"2.0","id":4,"method":"tools/call"})",
              R"({"jsonrpc":"2.0","id":4,"error":{"code":-32602,)"},
          Row{R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"bench"}})",
              R"({"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"there is no tool bench)"},
          Row{R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"trace",
                "arguments":[]}})",
              R"({"jsonrpc":"2.0","id":6,"error":{"code":-32602,)"},
          Row{R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}})",
              R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,)"},
          Row{R"({"jsonrpc":"2.0","id":8,"method":"resources/read","params":{}})",
              R"({"jsonrpc":"2.0","id":8,"error":{"code":-32602,)"},
          Row{R"({"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"file:///etc"}})",
              R"({"jsonrpc":"2.0","id":9,"error":{"code":-32002,)"},
          Row{R"({"jsonrpc":"2.0","id":10,"method":"initialize","params":{}})",
              R"({"jsonrpc":"2.0","id":10,"error":{"code":-32600,)"},
      })
    EXPECT_THAT(only_line(row.line), testing::StartsWith(row.answer)) << row.line;
}

TEST_F(SessionTest, AnswersRequestsAndIgnoresNotificationsAndResponses) {
  initialize("2025-06-18");
  EXPECT_EQ(only_line(R"({"jsonrpc":"2.0","id":"x","method":"ping"})"),
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n");
  for (const char* line :
       {"", "  \r", R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
        R"({"jsonrpc":"2.0","method":"notifications/unknown","params":{}})",
        R"({"jsonrpc":"2.0","method":"tools/call"})", R"({"jsonrpc":"2.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})"}) {
    const Effects effects = session_.take(line);
    EXPECT_THAT(effects.lines, IsEmpty()) << line;
    EXPECT_THAT(effects.calls, IsEmpty()) << line;
    EXPECT_THAT(effects.cancelled, IsEmpty()) << line;
  }
}

TEST_F(SessionTest, AnswersOnlyPingBeforeInitialize) {
  EXPECT_THAT(only_line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), HasSubstr("\"result\":{}"));
  for (const char* line : {R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", kCall.c_str(),
                           R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])",
                           R"({"jsonrpc":"2.0","id":1,"method":"no/method"})"})
    EXPECT_THAT(only_line(line), HasSubstr("-32600")) << line;
  EXPECT_THAT(only_line(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"),
              HasSubstr("-32602"));
  EXPECT_THAT(initialize("2025-06-18"), HasSubstr("\"result\""));
}

TEST_F(SessionTest, DescribesToolsFromTheVerbsParser) {
  initialize("2025-06-18");
  const Json answer = Json::parse(only_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"));
  const Json& tool = answer["result"]["tools"][0];
  EXPECT_EQ(tool["name"], "trace");
  EXPECT_EQ(tool["annotations"]["readOnlyHint"], true);
  EXPECT_EQ(tool["annotations"]["openWorldHint"], false);
  EXPECT_EQ(tool["inputSchema"]["additionalProperties"], false);
  const Json& nodes = tool["inputSchema"]["properties"]["nodes"];
  EXPECT_EQ(nodes["type"], "integer");
  EXPECT_EQ(nodes["minimum"], 1);
  EXPECT_EQ(nodes["maximum"], 4294967295);
  EXPECT_EQ(nodes["description"], "Number of nodes (default: the minimum of the workers)");
}

TEST_F(SessionTest, SendsResultsInTheOrderOfTheirEnds) {
  initialize("2025-06-18");
  const CallNumber first = only_call(kCall);
  const CallNumber second = only_call(call("\"two\"", R"({"paths":["a.yaml"]})"));
  EXPECT_THAT(session_.finish(second, {.text = "b", .document = Json{{"x", 1}}}).lines,
              ElementsAre("{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"result\":{\"content\":[{\"type\":"
                          "\"text\",\"text\":\"b\"}],\"structuredContent\":{\"x\":1},"
                          "\"isError\":false}}\n"));
  EXPECT_THAT(session_.finish(first, {.text = "a", .document = {}, .is_error = true}).lines,
              ElementsAre("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
                          "\"text\",\"text\":\"a\"}],\"isError\":true}}\n"));
  EXPECT_THAT(session_.finish(first, {}).lines, IsEmpty());
}

TEST_F(SessionTest, SendsTheDocumentAsTextToVersionsWithoutStructuredContent) {
  initialize("2025-03-26");
  const Effects effects =
      session_.finish(only_call(kCall), {.text = "a", .document = Json{{"x", 1}}});
  EXPECT_THAT(effects.lines,
              ElementsAre(HasSubstr(R"("content":[{"type":"text","text":"a"},)"
                                    R"({"type":"text","text":"{\"x\":1}"}],"isError":false)")));
}

TEST_F(SessionTest, ReplacesInvalidUtf8OfTexts) {
  initialize("2025-06-18");
  EXPECT_THAT(session_.finish(only_call(kCall), {.text = "a\xff", .document = {}}).lines,
              ElementsAre(HasSubstr("a\xef\xbf\xbd")));
}

TEST_F(SessionTest, StopsACancelledCallAndAnswersItNot) {
  initialize("2025-06-18");
  const CallNumber number = only_call(call("\"long\"", R"({"paths":["a.yaml"]})"));
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}})";
  EXPECT_THAT(session_.take(cancel).cancelled, ElementsAre(number));
  EXPECT_THAT(session_.take(cancel).cancelled, IsEmpty());
  EXPECT_THAT(session_.finish(number, {.text = "late", .document = {}}).lines, IsEmpty());
}

TEST_F(SessionTest, ReportsProgressToRequestsThatAskForIt) {
  initialize("2025-06-18");
  const CallNumber silent = only_call(kCall);
  const CallNumber asking = only_call(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"t"},)"
      R"("name":"trace","arguments":{"paths":["a.yaml"]}}})");
  EXPECT_THAT(session_.report_progress(silent, 5).lines, IsEmpty());
  EXPECT_THAT(
      session_.report_progress(asking, 5).lines,
      ElementsAre("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                  "{\"progressToken\":\"t\",\"progress\":5,\"message\":\"runs for 5 s\"}}\n"));
  session_.finish(asking, {});
  EXPECT_THAT(session_.report_progress(asking, 10).lines, IsEmpty());
}

TEST_F(SessionTest, RefusesUsedIdsAndTooManyCalls) {
  initialize("2025-06-18");
  only_call(kCall);
  EXPECT_THAT(only_line(kCall), HasSubstr("-32600"));
  for (std::size_t i = 1; i < Session::kMaxCalls; ++i)
    only_call(call(fmt::format("\"{}\"", i), R"({"paths":["a.yaml"]})"));
  EXPECT_THAT(only_line(call("99", R"({"paths":["a.yaml"]})")), HasSubstr("-32000"));
}

TEST_F(SessionTest, AnswersABatchAtOnceWhereTheVersionHasBatches) {
  initialize("2025-03-26");
  const std::string ping = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";
  EXPECT_EQ(only_line("[" + ping + ",3," + R"({"jsonrpc":"2.0","method":"notifications/x"}])"),
            "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":null,"
            "\"error\":{\"code\":-32600,\"message\":\"a message is an object\"}}]\n");
  const CallNumber number = only_call("[" + ping + "," + kCall + "]");
  const Effects effects = session_.finish(number, {.text = "a", .document = {}});
  ASSERT_THAT(effects.lines, SizeIs(1));
  EXPECT_THAT(Json::parse(effects.lines.front()), SizeIs(2));
  EXPECT_THAT(only_line("[]"), HasSubstr("the batch is empty"));
  EXPECT_THAT(session_.take(R"([{"jsonrpc":"2.0","method":"notifications/x"}])").lines, IsEmpty());
  EXPECT_THAT(only_line(R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}])"),
              HasSubstr("-32600"));
}

TEST_F(SessionTest, SendsABatchWithoutItsCancelledCall) {
  initialize("2025-03-26");
  only_call("[" + std::string(R"({"jsonrpc":"2.0","id":7,"method":"ping"},)") + kCall + "]");
  EXPECT_EQ(
      only_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"),
      "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]\n");
}

TEST_F(SessionTest, RefusesBatchesWhereTheVersionHasNone) {
  initialize("2025-11-25");
  EXPECT_THAT(only_line("[" + kCall + "]"), HasSubstr("has no batches"));
}

}  // namespace session_test

}  // namespace overlane::mcp
