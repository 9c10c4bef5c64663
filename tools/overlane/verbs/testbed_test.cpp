#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/runner/plan/plan.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace testbed_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Testbed, PrintsTheCommandsOfEveryNodeAndVariant) {
  const Answer answer =
      run_overlane("testbed print topologies/library/manifests/shoot-gcp.yaml --nodes 2");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("# routed, "), HasSubstr("# ipip, "),
                                HasSubstr("ip link set tunl0 mtu 8876 up\n"),
                                HasSubstr("type vxlan id 4096 local ")));
}

TEST(Testbed, PrintsOneNodeOnRequest) {
  const std::string print = "testbed print topologies/library/manifests/shoot-gcp.yaml --nodes 2";
  const std::string all = run_overlane(print).out;
  const std::size_t begin = all.find(", ") + 2;
  const std::string node = all.substr(begin, all.find('\n') - begin);
  const Answer one = run_overlane(print + " --node " + node);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr(", " + node + "\n"));
  EXPECT_LT(one.out.size(), all.size());
  const Answer none = run_overlane(print + " --node nobody");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no variant has a node \"nobody\""));
}

TEST(Testbed, UsageErrorExitsWith2) {
  for (const char* arguments :
       {"testbed", "testbed nonsense", "testbed run", "testbed probe --place elsewhere",
        "testbed run x --nodes 33", "testbed execute"}) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, StartsWith("overlane: error: ")) << arguments;
  }
}

const std::string kSwitch =
    "testbed switch topologies/library/manifests/shoot-aws-ipip.yaml --to routed --set "
    "migration.aws.call=2s ";

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

/// An observation of four nodes with one interruption.
std::string observation(const std::string& interruption) {
  return R"({"schema_version": 1, "kind": "SwitchObservation", "place": "a landscape",
             "nodes": ["a", "b", "c", "d"], "interval_ns": 100000000, "begin_ns": 0,
             "traffic": ["pod-to-pod", "node-to-pod", "pod-to-node", "full-size", "dns",
                         "node-port"],
             "end_ns": 500000000000, "interruptions": [)" +
         interruption + "]}";
}

TEST(TestbedSwitch, PutsWhatWasObservedBesideARange) {
  const std::string file =
      file_with("observed.json", observation(R"({"traffic": "pod-to-pod", "from": "a", "to": "b",
                                       "begin_ns": 100000000000, "end_ns": 400000000000})"));
  const Answer answer = run_overlane(kSwitch + "--observed " + file);
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("verdict: differs"),
                                HasSubstr("figures outside of the predicted range: pod-to-pod"),
                                HasSubstr("ipip to routed, 4 nodes on aws, strategy today"),
                                HasSubstr("the range of 10 seeds"), HasSubstr("a landscape")));
  const auto json = nlohmann::json::parse(run_overlane(kSwitch + "-o json --observed " + file).out);
  EXPECT_EQ(json["kind"], "SwitchReplay");
  EXPECT_EQ(json["agrees"], false);
  EXPECT_EQ(json["predictions"], 10);
  EXPECT_EQ(json["figures"].size(), 6u);
  EXPECT_FALSE(json.contains("pairs")) << "the order of the agents is not known";
}

TEST(TestbedSwitch, ComparesEachPairOfAReplay) {
  std::string text = observation("");
  text.insert(text.find("\"nodes\""), "\"seed\": 1, ");
  const Answer answer =
      run_overlane(kSwitch + "-o json --observed " + file_with("replay.json", text));
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["predictions"], 1);
  EXPECT_EQ(json["pairs"]["count"], 66) << "12 of five kinds of traffic, 6 of DNS";
  EXPECT_LT(json["pairs"]["agreeing"], 66 * 0.95)
      << "the switch interrupts, and nothing was observed";
}

TEST(TestbedSwitch, TheRangeIsThatOfTheSeedsOfMigrate) {
  const auto longest = [](const std::string& text, const char* which) {
    const auto json = nlohmann::json::parse(
        run_overlane(kSwitch + "-o json --observed " + file_with("range.json", text)).out);
    return json["figures"][0][which]["longest_ns"].get<std::int64_t>();
  };
  std::int64_t min = INT64_MAX, max = 0;
  for (const std::uint64_t seed : runner::repetition_seeds(1, 10)) {
    std::string text = observation("");
    text.insert(text.find("\"nodes\""), fmt::format("\"seed\": {}, ", seed));
    min = std::min(min, longest(text, "predicted_min"));
    max = std::max(max, longest(text, "predicted_max"));
  }
  EXPECT_LT(min, max);
  EXPECT_EQ(longest(observation(""), "predicted_min"), min);
  EXPECT_EQ(longest(observation(""), "predicted_max"), max);
}

TEST(TestbedSwitch, SaysWhyItDoesNothing) {
  const std::tuple<std::string, int, const char*> cases[] = {
      {kSwitch + "--observed none.json", 3, "none.json: cannot be read"},
      {kSwitch + "--observed " + file_with("bad.json", "{"), 3, "bad.json: not JSON"},
      {kSwitch + "--observed " +
           file_with("other.json", R"({"schema_version": 1, "kind": "RunReport"})"),
       3, "SwitchObservation"},
      {kSwitch + "--observed " +
           file_with("one.json", R"({"schema_version": 1, "kind": "SwitchObservation",
                                     "place": "", "nodes": ["a"], "traffic": ["pod-to-pod"],
                                     "interval_ns": 1, "begin_ns": 0, "end_ns": 1,
                                     "interruptions": []})"),
       3, "one.json: nodes: at least two nodes are needed"},
      {kSwitch + "--nodes 13", 2, "--nodes"},
      {kSwitch + "--longest 1s", 2, "longer than --longest"},
      {kSwitch + "--disturb scale-up@10s", 3, "nodes join or leave during the switch"},
      {"testbed switch topologies/library/manifests/shoot-aws-cilium.yaml --to routed", 3,
       "cannot be replayed"}};
  for (const auto& [arguments, exit_code, message] : cases) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments << answer.err;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, HasSubstr(message)) << arguments;
  }
}

TEST(Testbed, AgentsAndTheirTokensAreCheckedFirst) {
  const std::string token = ::testing::TempDir() + "overlane-verb-token";
  std::ofstream(token) << "a secret of more than sixteen bytes\n";
  std::filesystem::permissions(token, std::filesystem::perms::owner_read);
  const std::string measure = "testbed measure topologies/library/manifests/shoot-aws.yaml ";
  const std::string agents = measure + "--token-file " + token + " --agents ";
  const std::tuple<std::string, int, const char*> cases[] = {
      {"testbed agent --listen 127.0.0.1:0", 2, "--token-file is required"},
      {"testbed agent --listen 127.0.0.1 --token-file " + token, 2, "is not ADDRESS:PORT"},
      {"testbed agent --listen 127.0.0.1:0 --token-file /dev/null", 2, "every user"},
      {measure + "--agents a:1,b:2", 2, "--agents requires --token-file"},
      {measure + "--token-file " + token, 2, "--token-file requires --agents"},
      {agents + "127.0.0.1:1", 2, "--agents takes 2 agents, not 1"},
      {agents + "127.0.0.1:1,127.0.0.1:x", 2, "\"127.0.0.1:x\" is not ADDRESS:PORT"},
      {agents + "127.0.0.1:1,127.0.0.1:2 --nodes 3", 2, "two agents are two nodes"},
      {agents + "127.0.0.1:1,127.0.0.1:2 --place uml", 2, "--place is for namespaces"},
      {agents + "127.0.0.1:1,127.0.0.1:2 --executor sim,kernel", 2, "predicts namespaces"},
      {agents + "127.0.0.1:1,127.0.0.1:2 --executor kernel,fastpath", 2, "not agents"},
      {measure + "--place uml --executor kernel,fastpath", 2, "not for --place uml"},
      {measure + "--slice 10ms", 2, "--slice: 50"},
      {measure + "--slice 500", 2, "--slice: "},
      {agents + "127.0.0.1:1,127.0.0.1:2", 4, "agent 127.0.0.1:1: cannot connect: "},
  };
  for (const auto& [arguments, code, error] : cases) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, code) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, HasSubstr(error)) << arguments;
  }
  std::filesystem::remove(token);
}

TEST(Testbed, InnerCommandIsHidden) {
  EXPECT_THAT(run_overlane("testbed --help").out,
              AllOf(HasSubstr("probe"), Not(HasSubstr("REQUEST"))));
}

}  // namespace testbed_test
}  // namespace overlane::command
