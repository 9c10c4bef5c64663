#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace mcp_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

struct Conversation {
  int exit_code = 0;
  std::string err;
  std::vector<Json> answers;  ///< In the order in which they came.

  /// The answer with this id; null if there is none.
  Json of(const Json& id) const {
    for (const Json& answer : answers)
      if (answer["id"] == id) return answer;
    return nullptr;
  }
};

/// Sends bytes to `overlane mcp`, ends the input, and collects the answers.
Conversation send(const std::string& bytes, const std::string& options = "") {
  const std::string file = write_temporary("mcp_input", bytes);
  const Answer answer = run_overlane("mcp " + options, fmt::format("cat {} |", file));
  Conversation all{answer.exit_code, answer.err, {}};
  std::string_view rest = answer.out;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    EXPECT_NE(end, rest.npos) << "a message without a line feed";
    all.answers.push_back(Json::parse(rest.substr(0, end)));
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
  }
  return all;
}

std::string call(int id, const std::string& tool, const Json& arguments) {
  return Json{{"jsonrpc", "2.0"},
              {"id", id},
              {"method", "tools/call"},
              {"params", {{"name", tool}, {"arguments", arguments}}}}
             .dump() +
         "\n";
}

/// The result of one call.
Json result_of(const std::string& tool, const Json& arguments, const std::string& options = "") {
  const Conversation all = send(kInitialize + "\n" + call(1, tool, arguments), options);
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.err, IsEmpty());
  return all.of(1)["result"];
}

std::string text_of(const Json& result) {
  return result["content"][0]["text"].get<std::string>();
}

/// Removes the parts of a RunReport that depend on time and machine.
Json comparable(Json document) {
  document.erase("environment");
  if (document.value("kind", "") == "RunReport")
    for (Json& variant : document["variants"])
      variant.erase("engine");
  return document;
}

struct Row {
  std::string tool;
  Json arguments;
  std::string command_line;
};

const std::string kLibrary = "topologies/library/";

TEST(Mcp, AnswersWithTheBytesOfTheCommandLine) {
  const std::string shoot = kLibrary + "manifests/shoot-aws-ipip.yaml";
  const std::string landscape = kLibrary + "landscape";
  for (const Row& row :
       {Row{"explain", {{"paths", {shoot}}}, shoot},
        Row{"explain",
            {{"paths", {"shoot-aws"}}, {"compare_to", {shoot}}},
            "shoot-aws --compare-to " + shoot},
        Row{"check",
            {{"paths", {landscape}}, {"ignore", {"unknown-field"}}},
            landscape + " --ignore unknown-field"},
        Row{"trace",
            {{"paths", {shoot}},
             {"from", "node-1/pod-0"},
             {"to", "node-2/pod-0"},
             {"without", {"tunl0"}},
             {"df", false},
             {"size", 1400}},
            shoot + " --from node-1/pod-0 --to node-2/pod-0 --without tunl0 --no-df --size 1400"},
        Row{"run",
            {{"paths", {shoot}}, {"nodes", 2}, {"seed", 7}, {"no_ranges", true}},
            shoot + " --nodes 2 --seed 7 --no-ranges --summary"},
        Row{"migrate",
            {{"paths", {shoot}}, {"to", "routed"}, {"runs", 2}, {"max_outage", "2m"}},
            shoot + " --to routed --runs 2 --max-outage 2m"},
        Row{"overlap", {{"paths", {landscape}}, {"pairs", 1}}, landscape + " --pairs 1"}}) {
    const std::string words = row.tool + " " + row.command_line;
    const Json result = result_of(row.tool, row.arguments);
    EXPECT_EQ(result["isError"], false) << words;
    EXPECT_EQ(text_of(result), run_overlane(words).out) << words;
    std::string without_summary = words;
    if (const auto at = words.find(" --summary"); at != words.npos) without_summary.erase(at);
    const Json expected = Json::parse(run_overlane(without_summary + " -o json").out);
    EXPECT_EQ(comparable(result["structuredContent"]).dump(), comparable(expected).dump()) << words;
    EXPECT_EQ(result_of(row.tool, row.arguments)["content"], result["content"]) << words;
  }
}

TEST(Mcp, ReadsManifestsFromTheCall) {
  const std::string file = kLibrary + "manifests/shoot-aws-ipip.yaml";
  const Json result = result_of("explain", {{"manifests", read_text(source_file(file))}});
  EXPECT_EQ(text_of(result), run_overlane("explain - <" + file).out);
  const Json update =
      result_of("check", {{"update", {file, "-"}}, {"manifests", read_text(source_file(file))}});
  EXPECT_EQ(text_of(update), run_overlane(fmt::format("check --update {} - <{}", file, file)).out);
}

TEST(Mcp, ReportsBadInputLikeTheCommandLine) {
  const std::string broken = "kind: Shoot\n  bad: [\n";
  const std::string file = write_temporary("broken.yaml", broken);
  for (const Row& row :
       {Row{"explain", {{"paths", {"no-such-file.yaml"}}}, "no-such-file.yaml"},
        Row{"explain", {{"manifests", broken}}, "- <" + file},
        Row{"trace",
            {{"paths", {"shoot-aws"}}, {"from", "node-9/pod-0"}, {"to", "node-2/pod-0"}},
            "shoot-aws --from node-9/pod-0 --to node-2/pod-0"},
        Row{"run",
            {{"paths", {"shoot-aws"}}, {"nodes", 100'000'000}},
            "shoot-aws --nodes 100000000"},
        Row{"migrate", {{"paths", {"shoot-aws"}}, {"to", "routed"}}, "shoot-aws --to routed"},
        Row{"overlap",
            {{"paths", {"shoot-aws"}}, {"domain", "none"}},
            "shoot-aws --domain none"}}) {
    const Json result = result_of(row.tool, row.arguments);
    const std::string words = row.tool + " " + row.command_line;
    EXPECT_EQ(result["isError"], true) << words;
    EXPECT_THAT(text_of(result), HasSubstr("error: ")) << words;
    EXPECT_EQ(text_of(result), run_overlane(words).err) << words;
  }
  EXPECT_THAT(text_of(result_of("migrate", {{"paths", {"shoot-aws"}}, {"to", "moon"}})),
              HasSubstr("\"moon\" is not supported; choose one of"));
  EXPECT_THAT(text_of(result_of("explain", {{"paths", {"shoot-aws"}}, {"set", {"list"}}})),
              HasSubstr("landscape."));
}

TEST(Mcp, ReachesNoOptionThatWrites) {
  std::string lines = kInitialize + "\n";
  int id = 0;
  const std::string file = write_temporary("never", "");
  std::filesystem::remove(file);
  for (const char* tool : {"explain", "check", "trace", "run", "migrate", "overlap"})
    for (const char* option :
         {"out", "json", "html", "sarif", "junit", "svg", "pcap", "pcap_at", "graphviz",
          "trace_out", "trace_flow", "output", "o", "threads", "max_memory", "quiet", "fail_on"})
      lines += call(++id, tool, {{"paths", {"shoot-aws"}}, {option, file}});
  const Conversation all = send(lines);
  EXPECT_THAT(all.answers, SizeIs(static_cast<std::size_t>(id) + 1));
  for (int i = 1; i <= id; ++i)
    EXPECT_THAT(text_of(all.of(i)["result"]), StartsWith("error: there is no argument")) << i;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Mcp, ReadsOnlyBelowItsRoot) {
  namespace fs = std::filesystem;
  const fs::path base = fs::path(write_temporary("base", "")).parent_path() / "mcp_root";
  fs::create_directories(base / "in");
  std::ofstream(base / "secret.yaml") << "kind: Secret\n";
  std::ofstream(base / "in/topology.yaml") << read_text(kLibrary + "two-nodes-mtu1500.yaml");
  fs::create_symlink("../secret.yaml", base / "in/link.yaml");
  const auto scenario = [&](const std::string& name, const std::string& names) {
    std::ofstream(base / "in" / name) << fmt::format(
        "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata:\n  name: x\nspec:\n  {}\n"
        "  traffic: [{{name: bulk, kind: tcp}}]\n  duration: 20ms\n",
        names);
  };
  scenario("a.yaml", "manifests: [/etc/passwd]");
  scenario("b.yaml", "topology: ../secret.yaml");
  scenario("c.yaml", "topology: topology.yaml\n  costProfile: ../secret.yaml");
  const std::string root = "--root " + (base / "in").string();
  const std::string refusal = "this is outside " + fs::canonical(base / "in").string();
  for (const Row& row :
       {Row{"explain", {{"paths", {"../secret.yaml"}}}, {}},
        Row{"explain", {{"paths", {"/etc/passwd"}}}, {}},
        Row{"explain", {{"paths", {"/no/such/file"}}}, {}},
        Row{"explain", {{"paths", {"link.yaml"}}}, {}},
        Row{"explain", {{"paths", {"shoot-aws"}}, {"compare_to", {"/etc"}}}, {}},
        Row{"check", {{"update", {"shoot-aws", "../secret.yaml"}}}, {}},
        Row{"overlap", {{"landscape", {"x=../secret.yaml"}}}, {}},
        Row{"overlap", {{"paths", {"shoot-aws"}}, {"baseline", "/etc/passwd"}}, {}},
        Row{"migrate",
            {{"paths", {"shoot-aws-ipip"}}, {"to", "routed"}, {"strategy", {"../secret.yaml"}}},
            {}},
        Row{"run", {{"paths", {"a.yaml"}}}, {}}, Row{"run", {{"paths", {"b.yaml"}}}, {}},
        Row{"run", {{"paths", {"c.yaml"}}}, {}}}) {
    const Json result = result_of(row.tool, row.arguments, root);
    EXPECT_THAT(unwrapped(result.dump()), HasSubstr(refusal)) << row.arguments;
  }
  EXPECT_EQ(result_of("explain", {{"paths", {"shoot-aws"}}}, root)["isError"], false);
  fs::remove_all(base);
}

TEST(Mcp, SurvivesWhatIsNoMessage) {
  const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  struct Garbage {
    std::string bytes;
    int code;
  };
  const std::string deep(1'000'000, '[');
  for (const Garbage& row :
       {Garbage{"garbage", -32700}, Garbage{"\xff\xfe{}", -32700},
        Garbage{std::string("\0\0\0", 3), -32700}, Garbage{std::string(10'000'000, 'x'), -32700},
        Garbage{std::string(20'000'000, 'x'), -32600}, Garbage{deep, -32700},
        Garbage{deep + std::string(deep.size(), ']'), -32600},
        Garbage{R"({"jsonrpc":"2.0","id":2,"method":"ping","params":)" + deep +
                    std::string(deep.size(), ']') + "}",
                -32602},
        Garbage{call(2, "explain", {{"paths", {Json::array()}}}), 0}}) {
    const Conversation all = send(kInitialize + "\n" + row.bytes + "\n" + ping + "\n");
    EXPECT_EQ(all.exit_code, 0) << row.bytes.substr(0, 60);
    EXPECT_THAT(all.answers, SizeIs(3)) << row.bytes.substr(0, 60);
    EXPECT_EQ(all.of(1)["result"], Json::object()) << row.bytes.substr(0, 60);
    if (row.code != 0) {
      EXPECT_EQ(all.answers.at(1)["error"]["code"], row.code) << row.bytes.substr(0, 60);
    }
  }
}

TEST(Mcp, EndsCleanlyAtTheEndOfItsInput) {
  EXPECT_THAT(send("").answers, IsEmpty());
  EXPECT_EQ(send("").exit_code, 0);
  const Conversation cut = send(kInitialize.substr(0, 30));
  EXPECT_EQ(cut.exit_code, 0);
  ASSERT_THAT(cut.answers, SizeIs(1));
  EXPECT_EQ(cut.answers[0]["error"]["code"], -32700);
  // The last line needs no line feed, and a call that was accepted is finished.
  std::string lines = kInitialize + "\n" + call(1, "explain", {{"paths", {"shoot-aws"}}});
  lines.pop_back();
  EXPECT_EQ(send(lines).of(1)["result"]["isError"], false);
}

TEST(Mcp, AnswersOneCallWhileAnotherRuns) {
  const Json long_call = {
      {"paths", {"shoot-aws-ipip"}}, {"to", "routed"}, {"nodes", 200}, {"runs", 1000}};
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  const std::string input =
      write_temporary("mcp_first", kInitialize + "\n" + call(1, "migrate", long_call) +
                                       call(2, "explain", {{"paths", {"shoot-aws"}}}));
  const std::string rest = write_temporary("mcp_rest", cancel + "\n");
  // The call is cancelled as soon as the other one is answered.
  const std::string fifo = write_temporary("mcp_fifo", "");
  const Answer answer = run_overlane(
      fmt::format("mcp | while read -r line; do echo \"$line\"; case $line in *'\"id\":2'*) cat {} "
                  ">{}; break;; esac; done",
                  rest, fifo),
      fmt::format("rm {0}; mkfifo {0}; {{ cat {1} {0}; }} |", fifo, input));
  EXPECT_THAT(answer.out, HasSubstr("\"id\":2"));
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("\"id\":1,\"result\"")));
}

TEST(Mcp, StopsACallThatTakesTooLong) {
  const Json result = result_of(
      "migrate", {{"paths", {"shoot-aws-ipip"}}, {"to", "routed"}, {"nodes", 200}, {"runs", 1000}},
      "--max-time 1s");
  EXPECT_EQ(result["isError"], true);
  EXPECT_THAT(text_of(result), HasSubstr("the call was stopped after 1 s"));
}

TEST(Mcp, RefusesAFolderThatIsNone) {
  const Answer answer = run_overlane("mcp --root no-such-folder");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("no-such-folder: the folder cannot be used"));
}

}  // namespace mcp_test

}  // namespace overlane::command
