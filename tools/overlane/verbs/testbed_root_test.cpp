#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace testbed_root_test {

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

}  // namespace testbed_root_test
}  // namespace overlane::command
