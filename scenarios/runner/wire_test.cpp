#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/library/library.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace wire_test {

using testing::Folder;
using ::testing::HasSubstr;
using testing::manifest;
using testing::run_or_fail;

/// A scenario with requests between two nodes of a topology; `more` is added to its shoot.
std::string requests(const Folder& folder, const std::string& more,
                     const std::string& profile = "cloudlab") {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\n"
               "kind: Topology\n"
               "metadata: {name: two}\n"
               "spec:\n"
               "  vpcs: [{name: v, zones: [z]}]\n"
               "  shoots: [{manifest: " +
                   manifest("shoot-aws.yaml") + ", nodes: 2, " + more + "}]\n");
  return folder.write("scenario.yaml",
                      "apiVersion: overlane.dev/v1alpha1\n"
                      "kind: Scenario\n"
                      "metadata: {name: requests}\n"
                      "spec:\n"
                      "  topology: topology.yaml\n"
                      "  costProfile: " +
                          profile +
                          "\n"
                          "  traffic:\n"
                          "  - {name: r, kind: request-response, protocol: udp}\n"
                          "  duration: 10ms\n");
}

std::int64_t transactions(const std::string& more) {
  const Folder folder;
  const model::RunReport report = run_or_fail({.paths = {requests(folder, more)}});
  const model::Variant& variant = report.variants.at(0);
  EXPECT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
  EXPECT_EQ(variant.byte_path.mismatched, 0);
  return variant.traffic.at(0).transactions;
}

TEST(Wire, ARunInWhichNothingTakesTimeIsRefused) {
  const Folder folder;
  std::string profile = std::string(*library::find("namespaces.yaml"));
  for (std::size_t at = 0; (at = profile.find("anoseconds: ", at)) != std::string::npos;) {
    at += std::string_view("anoseconds: ").size();
    profile.replace(at, profile.find('\n', at) - at, "0");
  }
  folder.write("zero.yaml", profile);
  const auto refused =
      prepare({.paths = {requests(folder, "wire: veth, machine: {cores: 2}", "zero.yaml")}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().findings.at(0).rule, "nothing-takes-time");
}

TEST(Kernel, OfANodeIsOneOfTheCostProfile) {
  const std::int64_t usual = transactions("machine: {cores: 8}");
  EXPECT_EQ(transactions("kernel: \"5.14\", machine: {cores: 8}"), usual);
  EXPECT_LT(transactions("kernel: \"5.15\", machine: {cores: 8}"), usual);
  const Folder folder;
  const auto refused = prepare({.paths = {requests(folder, "kernel: \"4.4\"")}});
  ASSERT_FALSE(refused);
  const Finding& finding = refused.error().findings.at(0);
  EXPECT_EQ(finding.rule, "unknown-kernel");
  EXPECT_THAT(finding.to_string(), HasSubstr("topology.yaml:6:"));
  EXPECT_THAT(finding.hint, HasSubstr("5.14, 5.14 (Ubuntu 22.04), 5.15, 6.8"));
}

TEST(Wire, OfVethPairsHasNoNicAndNoLatency) {
  EXPECT_GT(transactions("wire: veth, machine: {cores: 8}"),
            2 * transactions("machine: {cores: 8}"))
      << "20 µs each way";
  const Folder folder;
  const auto prepared = prepare({.paths = {requests(folder, "wire: veth")}});
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  const auto& assumptions = prepared->subject.assumptions;
  for (const char* field :
       {"machine.nic", "machine.interrupt_gap", "latency.within_zone", "fabric.single_flow"}) {
    EXPECT_EQ(std::ranges::count(assumptions, field, &model::Assumption::parameter), 0) << field;
  }
}

}  // namespace wire_test
}  // namespace overlane::runner
