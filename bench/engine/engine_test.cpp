#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/engine/limit.h"
#include "bench/engine/program.h"

namespace overlane::bench {
namespace engine_test {

using nlohmann::json;

struct Answer {
  int exit_code = 0;
  std::string text;
};

Answer run(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return {options.error().exit_code, options.error().text};
  Answer answer;
  answer.exit_code = run_program(*options, [&](std::string_view text) { answer.text += text; });
  return answer;
}

/// Results of workload `name` at tiny size, without and with CPU costs.
std::vector<json> tiny(const std::string& name, const std::string& hops = "100") {
  const Answer answer = run({name, "--nodes", "3", "--pods", "2", "--flows", "6", "--packets", "5",
                             "--hops", hops, "--output", "json"});
  EXPECT_EQ(answer.exit_code, 0);
  return json::parse(answer.text).at("workloads");
}

Workload three_nodes() {
  return {.name = "three", .nodes = 3, .pods_per_node = 2, .flows = 6, .gap = milliseconds(1)};
}

TEST(BenchEngine, EveryDatagramCrossesFourLinks) {
  for (const std::string name : {"routed-10", "ipip-10", "vxlan-10", "flows-10"}) {
    const auto workloads = tiny(name);
    ASSERT_EQ(workloads.size(), 2u) << name;
    for (const json& workload : workloads) {
      EXPECT_EQ(workload["name"], name);
      EXPECT_EQ(workload["kind"], "udp");
      EXPECT_EQ(workload["packets_delivered"], 30);
      EXPECT_EQ(workload["packets_dropped"], 0);
      EXPECT_EQ(workload["packet_hops"], 4 * 30);
      EXPECT_GE(workload["events"], 2 * 30);
      EXPECT_GT(workload["byte_path_checked"], 0);
    }
    EXPECT_EQ(workloads[0]["cpu_costs"], false);
    EXPECT_EQ(workloads[1]["cpu_costs"], true);
  }
}

TEST(BenchEngine, PathBetweenRacksHasTwoMoreLinks) {
  const Answer answer = run({"leafspine-1000", "--nodes", "33", "--pods", "1", "--flows", "33",
                             "--packets", "5", "--cpu", "off", "--output", "json"});
  EXPECT_EQ(answer.exit_code, 0);
  const json workload = json::parse(answer.text).at("workloads").at(0);
  // Each node sends to the next: only node 31 to 32 and node 32 to 0 cross racks.
  EXPECT_EQ(workload["packet_hops"], 5 * (33 * 4 + 2 * 2));
  Workload jammed = three_nodes();
  jammed.racks = fabric::Racks{.nodes_per_rack = 1, .uplink = {10'000'000}};
  EXPECT_FALSE(measure(jammed)) << "16 Mbit/s for an uplink of 10";
}

TEST(BenchEngine, DatagramBetweenNodesCrossesTwoLinks) {
  const auto workloads = tiny("star-10");
  ASSERT_EQ(workloads.size(), 2u);
  for (const json& workload : workloads) {
    EXPECT_EQ(workload["network"], "nodes");
    EXPECT_EQ(workload["packets_delivered"], 30);
    EXPECT_EQ(workload["packet_hops"], 2 * 30);
  }
}

TEST(BenchEngine, EveryByteOfTcpArrives) {
  for (const json& workload : tiny("tcp-10", "10000")) {
    EXPECT_EQ(workload["kind"], "tcp");
    // If cores merge segments, fewer than one acknowledgement per two segments is sent.
    const int hops = workload["cpu_costs"] ? 10'000 * 2 / 3 : 10'000;
    EXPECT_GE(workload["packet_hops"], hops * 6 / 10) << "six of ten flows";
  }
}

TEST(BenchEngine, TheLimitCarriesTheSameDatagramsOverTheSameLinks) {
  Workload pods = three_nodes();
  Workload hosts = three_nodes();
  hosts.between_nodes = true;
  Workload racks = three_nodes();
  racks.nodes = racks.flows = 33;
  racks.pods_per_node = 1;
  racks.racks = fabric::Racks{.nodes_per_rack = 32, .spines = 8, .uplink = {40'000'000'000}};
  for (const Workload& workload : {pods, hosts, racks}) {
    const auto limit = measure_limit(workload);
    ASSERT_TRUE(limit) << limit.error();
    const auto engine = measure(workload);
    ASSERT_TRUE(engine) << engine.error();
    EXPECT_EQ(limit->packets, engine->packets);
    EXPECT_EQ(limit->packet_hops, engine->packet_hops);
    EXPECT_GE(limit->events, 3 * limit->packets) << "sent, through a NIC, through a port";
  }
  pods.cpu_costs = true;
  EXPECT_FALSE(measure_limit(pods));
  hosts.kind = model::TrafficKind::Tcp;
  EXPECT_FALSE(measure_limit(hosts));
  EXPECT_EQ(run({"--limit", "tcp"}).exit_code, 2);
}

TEST(BenchEngine, TheJsonHasEveryField) {
  const json workload = tiny("vxlan-10").front();
  EXPECT_EQ(workload["network"], "vxlan");
  EXPECT_EQ(workload["nodes"], 3);
  EXPECT_EQ(workload["pods_per_node"], 2);
  EXPECT_EQ(workload["flows"], 6);
  for (const char* field : {"events_per_packet", "prepare_seconds", "setup_seconds", "loop_seconds",
                            "packet_hops_per_second", "packets_per_second", "ns_per_packet",
                            "core_share", "peak_rss_mb"})
    EXPECT_GT(workload.at(field), 0) << field;
}

TEST(BenchEngine, TextHasAHeadAndOneLinePerWorkload) {
  const Answer answer = run({"ipip-10", "--nodes", "2", "--flows", "2", "--packets", "2"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(std::ranges::count(answer.text, '\n'), 3) << answer.text;
}

TEST(BenchEngine, LostPacketsFailTheWorkload) {
  Workload flood = three_nodes();
  flood.flows = 900;
  flood.packets_per_flow = 20;
  flood.gap = microseconds(210);  // 16 Gbit/s from every node.
  flood.payload_bytes = 1400;
  const auto figures = measure(flood);
  ASSERT_FALSE(figures);
  EXPECT_NE(figures.error().find("packets"), std::string::npos) << figures.error();
  EngineOptions options{.workloads = {flood, three_nodes()}};
  std::string text;
  EXPECT_EQ(run_program(options, [&](std::string_view piece) { text += piece; }), 1);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
}

TEST(BenchEngine, StandardFlowsAreLongEnoughAndBelowCapacity) {
  for (const Workload& workload : standard_workloads(4'000'000)) {
    if (workload.kind == model::TrafficKind::Tcp) continue;
    const bool few_packets = workload.name.starts_with("flows");
    EXPECT_GE(workload.packets_per_flow, few_packets ? 4 : 100) << workload.name;
    EXPECT_GE(workload.gap, milliseconds(1)) << workload.name;
  }
}

TEST(BenchEngine, InvalidOptionsExitWithCode2) {
  EXPECT_EQ(run({"--help"}).exit_code, 0);
  EXPECT_EQ(run({"routed-11"}).exit_code, 2);
  EXPECT_EQ(run({"--nodes", "1"}).exit_code, 2);
  EXPECT_EQ(run({"--output", "xml"}).exit_code, 2);
  EXPECT_EQ(run({"routed", "--list", "--cpu", "on"}).text,
            "routed-10 with CPU costs\nrouted-100 with CPU costs\nrouted-1000 with CPU costs\n"
            "routed-5000 with CPU costs\n");
}

}  // namespace engine_test
}  // namespace overlane::bench
