#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace racks_test {

using ::testing::Contains;
using ::testing::Field;
using testing::Folder;
using ::testing::HasSubstr;

/// Datagrams from the first of four nodes to the last, in a VPC with `racks`.
Request request(const Folder& folder, const std::string& racks) {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\n"
               "kind: Topology\n"
               "metadata: {name: four}\n"
               "spec:\n"
               "  vpcs: [{name: v, zones: [z], racks: {" +
                   racks +
                   "}}]\n"
                   "  shoots: [{manifest: " +
                   testing::manifest("shoot-aws.yaml") + ", nodes: 4}]\n");
  return {.paths = {folder.write("scenario.yaml",
                                 "apiVersion: overlane.dev/v1alpha1\n"
                                 "kind: Scenario\n"
                                 "metadata: {name: datagrams}\n"
                                 "spec:\n"
                                 "  topology: topology.yaml\n"
                                 "  traffic:\n"
                                 "  - {name: d, kind: udp, pattern: incast, rate: 100Mbit/s,\n"
                                 "     payloadBytes: 1000}\n"
                                 "  duration: 10ms\n")}};
}

TEST(Racks, OfATopologyFileLimitTrafficBetweenThem) {
  const Folder folder;
  Request asked = request(folder, "nodesPerRack: 2, spines: 1, uplink: 50Mbit/s, queue: 10");
  asked.why = Why::Goodput;
  const model::RunReport report = testing::run_or_fail(asked);
  const model::VariantResult& variant = report.variants.at(0);
  const auto limit =
      std::ranges::find(variant.limits, "uplink of rack 2 to spine 1", &model::Limit::station);
  ASSERT_NE(limit, variant.limits.end());
  EXPECT_EQ(limit->constant, "uplink rate 50 Mbit/s");
  ASSERT_EQ(limit->movements.size(), 1u);
  EXPECT_EQ(limit->movements[0].constant, "racks.uplink");
  EXPECT_GT(limit->movements[0].after, limit->movements[0].before);
  EXPECT_GT(variant.traffic.at(0).drops[Drop::FabricQueueFull], 0);
  EXPECT_EQ(std::ranges::count(report.assumptions, "racks.queue", &model::Assumption::parameter),
            0);
}

TEST(Racks, TraceNamesLeafAndSpine) {
  const Folder folder;
  Request asked = request(folder, "nodesPerRack: 1, spines: 1, uplink: 1Gbit/s");
  const std::string hash = result_hash(testing::run_or_fail(asked));
  asked.packets = {.flow = "d/2", .trace_limit = 100};
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(result_hash(report), hash);
  const auto& lines = report.traces.at(0).lines;
  const auto at = [](const std::string& event, const std::string& place) {
    return Contains(::testing::AllOf(Field(&model::TraceLine::event, event),
                                     Field(&model::TraceLine::place, place)));
  };
  EXPECT_THAT(lines, at("at-leaf", "leaf of rack 4"));
  EXPECT_THAT(lines, at("at-spine", "spine 1"));
  EXPECT_THAT(lines, at("crossed", "fabric to node-1"));
  EXPECT_EQ(std::ranges::count(report.assumptions, "racks.queue", &model::Assumption::parameter),
            1);
}

TEST(Racks, SingleRackGivesAWarning) {
  const Folder folder;
  const auto findings = [&](const std::string& nodes) {
    return testing::run_or_fail(
               request(folder, "nodesPerRack: " + nodes + ", spines: 1, uplink: 1Gbit/s"))
        .findings;
  };
  EXPECT_EQ(std::ranges::count(findings("3"), "one-rack", &Finding::rule), 0);
  const Findings found = findings("4");
  const auto one_rack = std::ranges::find(found, "one-rack", &Finding::rule);
  ASSERT_NE(one_rack, found.end());
  EXPECT_EQ(one_rack->severity, Severity::Warning);
  EXPECT_THAT(one_rack->to_string(), HasSubstr("topology.yaml:5:"));
  EXPECT_THAT(one_rack->message, HasSubstr("all 4 nodes are in one rack"));
}

}  // namespace racks_test
}  // namespace overlane::runner
