#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace testbed_root_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Testbed, ProbesBothPlacesAndGivesReasonsForMissingOnes) {
  const Answer answer = run_overlane("testbed probe -o json");
  const auto probe = nlohmann::json::parse(answer.out);
  EXPECT_EQ(probe["kind"], "TestbedProbe");
  ASSERT_EQ(probe["places"].size(), 2u);
  for (const auto& place : probe["places"]) {
    const bool is_there = place["reason"] == "";
    EXPECT_EQ(place["abilities"].empty(), !is_there);
    EXPECT_EQ(place["kernel"] == "", !is_there);
  }
}

TEST(Testbed, KernelReachesWhatTheModelPredicts) {
  const Answer answer =
      run_overlane("testbed run topologies/library/manifests/shoot-gcp.yaml --nodes 2 -o json");
  if (answer.exit_code == 4) GTEST_SKIP() << answer.err;
  EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["kind"], "TestbedReport");
  ASSERT_EQ(report["variants"].size(), 3u);
  for (const auto& variant : report["variants"]) {
    if (variant["place"].is_null()) continue;
    ASSERT_EQ(variant["trips"].size(), 4u) << "two directions, two sizes";
    for (const auto& trip : variant["trips"])
      EXPECT_TRUE(trip["kernel"] == true && trip["core"] == true) << trip;
  }
}

TEST(Testbed, FabricInTheKernelReachesTheSameAndListsOmissions) {
  const Answer answer = run_overlane(
      "testbed run topologies/library/manifests/shoot-aws.yaml --nodes 2 "
      "--fabric kernel -o json");
  if (answer.exit_code == 4) GTEST_SKIP() << answer.err;
  EXPECT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  ASSERT_EQ(report["variants"].size(), 3u);
  for (const auto& variant : report["variants"]) {
    if (variant["place"].is_null()) continue;
    EXPECT_EQ(variant["left_out"][0], "security groups and firewalls");
    ASSERT_EQ(variant["trips"].size(), 4u) << "two directions, two sizes";
    for (const auto& trip : variant["trips"])
      EXPECT_TRUE(trip["kernel"] == true && trip["core"] == true) << trip;
  }
}

TEST(TestbedSwitch, ReplaysASwitchAndReadsItAgain) {
  const std::string page = ::testing::TempDir() + "switch.html";
  const std::string saved = ::testing::TempDir() + "switch.json";
  std::string arguments =
      "testbed switch topologies/library/manifests/shoot-aws-ipip.yaml --to routed --nodes 2 ";
  for (const char* duration :
       {"gardenlet.start=1s", "gardenlet.control-plane=1s", "gardenlet.network=1s",
        "route-controller.start=2s", "daemon-set.replace=1s", "agent.init=1s", "agent.start=1s",
        "agent.ready=1s", "bird.reload=1s", "aws.tick=1s", "calico.nameserver-rules=1s"})
    arguments += std::string("--set migration.") + duration + ' ';
  const Answer answer = run_overlane(arguments + "--save " + saved + " --html " + page);
  ASSERT_TRUE(answer.exit_code == 0 || answer.exit_code == 1) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("of 12 pairs are as predicted"), HasSubstr("pod-to-node"),
                                HasSubstr("dns"), HasSubstr("between pods, streams"),
                                HasSubstr("by NodePorts, with requests"), HasSubstr("left out")));
  std::ifstream html(page);
  const std::string text(std::istreambuf_iterator<char>(html), {});
  EXPECT_THAT(text, AllOf(HasSubstr("observed"), HasSubstr("predicted"), HasSubstr("<svg")));
  const Answer again = run_overlane(arguments + "--observed " + saved);
  EXPECT_EQ(again.exit_code, answer.exit_code);
  const auto figures = [](const std::string& out) {
    return out.substr(0, out.find("\n  by NodePorts"));
  };
  EXPECT_EQ(figures(again.out), figures(answer.out));
}

constexpr const char* kShortMeasurement =
    "testbed measure topologies/library/manifests/shoot-aws.yaml --nodes 2 --least-slices 2 "
    "--most-slices 2 --slice 100ms -o json ";

TEST(TestbedMeasure, ReportsWhatTheKernelDidBesideThePrediction) {
  const Answer answer = run_overlane(std::string(kShortMeasurement) + "--executor sim,kernel");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["executor"], "kernel");
  EXPECT_EQ(report["cost_profile"], "namespaces");
  EXPECT_EQ(report["variants"][0]["kernel"]["emulated"], false);
  EXPECT_GT(report["variants"][0]["traffic"][0]["goodput_bps"], 1'000'000);
  EXPECT_FALSE(report["predictions"].empty());
  EXPECT_THAT(answer.err, testing::HasSubstr("[not-precise]"));
}

/// User-mode Linux supports ipip, which the running kernel may lack.
TEST(TestbedMeasure, UserModeLinuxMeasuresIpipAndItsTimesAreMarked) {
  const Answer probe = run_overlane("testbed probe --place uml -o json");
  if (nlohmann::json::parse(probe.out)["places"][0]["reason"] != "") GTEST_SKIP() << probe.out;
  const Answer answer = run_overlane(std::string(kShortMeasurement) + "--place uml");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  const auto& ipip = report["variants"][1];
  EXPECT_EQ(ipip["name"], "ipip");
  EXPECT_EQ(ipip["status"], "ok") << ipip["reason"];
  EXPECT_EQ(ipip["kernel"]["emulated"], true);
  EXPECT_GT(ipip["traffic"][0]["goodput_bps"], 1'000'000);
  EXPECT_THAT(answer.err, testing::HasSubstr("[not-comparable]"));
}

TEST(TestbedMeasure, EventsAreSimulatedOnly) {
  const Answer answer = run_overlane("testbed measure scenarios/library/node-is-replaced.yaml");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, testing::HasSubstr("a scenario with events is simulated only"));
}

}  // namespace testbed_root_test
}  // namespace overlane::command
