#include "topologies/path/hubble.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/graph/testing/shoots.h"

namespace overlane::path {
namespace hubble_test {

using nlohmann::json;
using ::testing::ElementsAre;

/// The names of the fields that a trace has, of Flow in api/v1/flow/flow.proto.
const std::set<std::string> kFlowFields = {
    "time",      "verdict",  "drop_reason",      "IP",
    "l4",        "source",   "destination",      "Type",
    "node_name", "is_reply", "event_type",       "traffic_direction",
    "interface", "Summary",  "drop_reason_desc", "trace_observation_point"};

std::vector<json> flows_of(const effective::EffectiveDataplane& shoot, const Question& question,
                           bool without_route = false) {
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 2, .pods_per_node = 1});
  compile::Compiled states = compile::compile(*topology, shoot).value();
  if (without_route)
    for (node::RouteTable& table : states.fabric.route_tables)
      table.routes = {};
  const std::string text =
      hubble_lines(report(states, shoot, ask(states, shoot, question).value()));
  std::vector<json> flows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const json one = json::parse(line);
    EXPECT_EQ(one.at("time"), one.at("flow").at("time"));
    EXPECT_EQ(one.at("node_name"), one.at("flow").at("node_name"));
    for (const auto& [name, value] : one.at("flow").items())
      EXPECT_TRUE(kFlowFields.contains(name)) << name;
    flows.push_back(one.at("flow"));
  }
  return flows;
}

std::vector<std::string> points_of(const std::vector<json>& flows) {
  std::vector<std::string> points;
  for (const json& flow : flows)
    points.push_back(flow.value("trace_observation_point", flow.at("verdict").get<std::string>()));
  return points;
}

TEST(Hubble, SeesEachInterfaceOfATunnel) {
  const auto flows = flows_of(graph::testing::ipip_shoot(), {});
  EXPECT_THAT(points_of(flows), ElementsAre("FROM_ENDPOINT", "TO_OVERLAY", "TO_NETWORK",
                                            "FROM_NETWORK", "FROM_OVERLAY", "TO_ENDPOINT"));
  EXPECT_EQ(flows[0]["source"]["pod_name"], "node-1/pod-0");
  EXPECT_EQ(flows[0]["destination"]["pod_name"], "node-2/pod-0");
  EXPECT_EQ(flows[0]["l4"]["TCP"]["destination_port"], 80);
  EXPECT_EQ(flows[0]["IP"]["ipVersion"], "IPv4");
  EXPECT_EQ(flows[0]["is_reply"], false);
  EXPECT_NE(flows[2]["IP"]["source"], flows[0]["IP"]["source"]) << "the outer header";
  EXPECT_FALSE(flows[2].contains("l4"));
  EXPECT_EQ(flows[5]["node_name"], "node-2");
}

TEST(Hubble, SeesRoutedUdpAndItsAnswer) {
  const auto flows =
      flows_of(graph::testing::routed_shoot(), {.protocol = forward::kUdp, .answer = true});
  EXPECT_THAT(points_of(flows),
              ElementsAre("FROM_ENDPOINT", "TO_NETWORK", "FROM_NETWORK", "TO_ENDPOINT",
                          "FROM_ENDPOINT", "TO_NETWORK", "FROM_NETWORK", "TO_ENDPOINT"));
  EXPECT_EQ(flows[0]["Summary"], "UDP");
  EXPECT_EQ(flows[7]["is_reply"], true);
  EXPECT_EQ(flows[7]["l4"]["UDP"]["source_port"], 80);
}

TEST(Hubble, SaysWhyAPacketIsDropped) {
  const auto flows = flows_of(graph::testing::routed_shoot(), {}, /*without_route=*/true);
  ASSERT_EQ(flows.back()["verdict"], "DROPPED");
  EXPECT_EQ(flows.back()["drop_reason_desc"], "FIB_LOOKUP_FAILED");
  EXPECT_EQ(flows.back()["drop_reason"], 169);
  EXPECT_EQ(flows.back()["node_name"], "vpc");
}

}  // namespace hubble_test
}  // namespace overlane::path
