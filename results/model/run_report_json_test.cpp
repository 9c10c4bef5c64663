#include "results/model/run_report_json.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/model/testing/example_report.h"

namespace overlane::model {

namespace run_report_json_test {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items())
    names.push_back(item.key());
  return names;
}

TEST(RunReportJson, StartsWithVersionAndKindAndHasTheDocumentedFields) {
  const Json json = encode(example_report());
  EXPECT_THAT(keys(json), ElementsAre("schema_version", "kind", "scenario", "executor", "seed",
                                      "result_hash", "assumptions", "variants", "comparison",
                                      "cost_profile", "environment", "findings", "machine"));
  EXPECT_THAT(keys(json["machine"]),
              ElementsAre("type", "cores", "cores_from", "nic_bps", "nic_from", "sustained_bps",
                          "sends_at_sustained_rate"));
  EXPECT_EQ(json["machine"]["cores_from"], "cloud-profile");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["kind"], "RunReport");
  EXPECT_THAT(keys(json["variants"][0]),
              ElementsAre("name", "status", "reason", "dataplane", "byte_path", "traffic", "limits",
                          "nodes", "ending", "engine"));
  EXPECT_THAT(
      keys(json["variants"][0]["dataplane"]),
      ElementsAre("mode", "encapsulation", "cross_subnet", "backend", "routes_by",
                  "service_routing", "encryption", "link_mtu", "pod_mtu", "overhead_bytes"));
  const Json& traffic = json["variants"][0]["traffic"][0];
  EXPECT_THAT(keys(traffic), ElementsAre("name", "kind", "throughput_bps", "goodput_bps", "packets",
                                         "latency_ns", "transactions", "completion_ns", "drops",
                                         "steady_state", "latency_steady_state"));
  EXPECT_THAT(keys(traffic["latency_ns"]), ElementsAre("min", "mean", "p50", "p90", "p99", "p999",
                                                       "max", "count", "sum", "buckets"));
  EXPECT_THAT(keys(json["variants"][0]["engine"]),
              ElementsAre("events", "packet_hops", "setup_seconds", "loop_seconds", "threads",
                          "one_thread_because"));
}

TEST(RunReportJson, EventsAndInterruptionsAreThereOnlyIfTheRunHasThem) {
  RunReport report = example_report();
  report.events = {{.at_ns = 5, .until_ns = {}, .what = "remove-route", .place = "s.yaml:3:5"}};
  Interruptions interruptions{.flows = 4, .interrupted = 1};
  interruptions.longest_ns.record(7);
  report.variants[0].traffic[0].interruptions = interruptions;
  const Json json = encode(report);
  EXPECT_EQ(json["events"].dump(),
            R"([{"at_ns":5,"until_ns":null,"what":"remove-route","place":"s.yaml:3:5"}])");
  const Json& encoded = json["variants"][0]["traffic"][0]["interruptions"];
  EXPECT_THAT(keys(encoded), ElementsAre("flows", "interrupted", "not_resumed", "longest_ns"));
  EXPECT_EQ(encoded["longest_ns"]["max"], 7);
}

TEST(RunReportJson, OmitsDropReasonsThatDidNotOccur) {
  const Json drops = encode(example_report())["variants"][0]["traffic"][0]["drops"];
  EXPECT_THAT(keys(drops), ElementsAre("mtu-exceeded", "nic-queue-full"));
  EXPECT_EQ(drops["nic-queue-full"], 5);
}

TEST(RunReportJson, DiagnosticsAreNotInTheHash) {
  RunReport report = example_report();
  const std::string hash = result_hash(report);
  EXPECT_TRUE(encode(report)["variants"][0]["traffic"][0]["steady_state"].is_null());
  report.variants[0].traffic[0].steady_state =
      SteadyState{.reached = true, .from = milliseconds(3), .bias_ppm = -20'000};
  report.variants[0].traffic[0].latency_steady_state = SteadyState{.drift_ppm = 60'000};
  report.variants[0].explained = {
      {.traffic = "",
       .metric = "nodes.cpu_utilisation.mean",
       .movements = {{.constant = "stage veth", .before = 2, .after = 1, .also = {}}}}};
  Series series{.end_ns = {1000, 1500}};
  series.traffic.push_back({.name = "bulk", .goodput_bps = {0, 7}});
  series.traffic[0].drops[Drop::NicQueueFull] = {0, 2};
  series.nodes.nic_bytes = {1538, 0};
  report.variants[0].series.push_back(series);
  const Json json = encode(report)["variants"][0];
  EXPECT_EQ(json["traffic"][0]["steady_state"].dump(),
            R"({"reached":true,"from_ns":3000000,"drift_ppm":0,"bias_ppm":-20000,)"
            R"("method":"mser-5"})");
  EXPECT_EQ(json["traffic"][0]["latency_steady_state"]["drift_ppm"], 60'000);
  const Json& explained = json["explained"][0];
  EXPECT_THAT(keys(explained), ElementsAre("traffic", "metric", "movements"));
  EXPECT_TRUE(explained["traffic"].is_null()) << "of all together";
  EXPECT_EQ(explained["movements"][0]["after"], 1);
  const Json& over_time = json["series"][0];
  EXPECT_THAT(keys(over_time), ElementsAre("end_ns", "traffic", "nodes"));
  EXPECT_EQ(over_time["traffic"][0]["goodput_bps"], (std::vector<int>{0, 7}));
  EXPECT_EQ(over_time["traffic"][0]["drops"]["nic-queue-full"], (std::vector<int>{0, 2}));
  EXPECT_TRUE(over_time["nodes"]["cpu_utilisation_ppm"].is_null());
  EXPECT_EQ(over_time["nodes"]["nic_queue_bytes_max"], (std::vector<int>{1538, 0}));
  EXPECT_EQ(result_hash(report), hash);
}

TEST(RunReportJson, WritesUtilisationAsAFractionAndAMissingRatioAsNull) {
  const Json json = encode(example_report());
  EXPECT_EQ(json["variants"][0]["nodes"]["cpu_utilisation"]["mean"], 0.125);
  EXPECT_EQ(json["variants"][0]["nodes"]["cpu_utilisation"]["max"], 0.25);
  EXPECT_EQ(json["comparison"][0]["ratio_ppm"], 986'192);
  EXPECT_TRUE(json["comparison"][1]["ratio_ppm"].is_null());
}

TEST(RunReportJson, VariantThatDidNotRunHasAReasonInsteadOfNumbers) {
  const Json variant = encode(example_report())["variants"][2];
  EXPECT_EQ(variant["status"], "not-admitted");
  EXPECT_EQ(variant["reason"], "the provider's admission refuses backend vxlan");
  EXPECT_TRUE(variant["traffic"].empty());
  for (const char* key : {"dataplane", "engine", "byte_path", "nodes"})
    EXPECT_TRUE(variant[key].is_null()) << key;
}

TEST(RunReportJson, LatencyWithoutASampleIsNull) {
  RunReport report = example_report();
  report.variants[0].traffic[0].latency_ns = Histogram();
  const Json traffic = encode(report)["variants"][0]["traffic"][0];
  EXPECT_TRUE(traffic["latency_ns"].is_null());
  EXPECT_TRUE(traffic["completion_ns"].is_null());
}

TEST(ResultHash, IsStable) {
  EXPECT_EQ(result_hash(example_report()), "9d4ed4f341771aebd9ded45ab361cf12");
}

TEST(RunReportJson, RepeatedRunHasValuesMeanAndInterval) {
  RunReport report = example_report();
  const Json once = encode(report);
  EXPECT_FALSE(once["variants"][0]["traffic"][0].contains("repetitions"));
  report.seeds = {1, 2};
  report.variants[0].traffic[0].repeated = {{"goodput_bps", {10, 20}}};
  ASSERT_FALSE(report.comparison.empty());
  report.comparison[0].repeated_ppm = {990'000, 990'000};
  const Json json = encode(report);
  EXPECT_EQ(json["seeds"], Json({1, 2}));
  const Json& figure = json["variants"][0]["traffic"][0]["repetitions"][0];
  EXPECT_EQ(figure["metric"], "goodput_bps");
  EXPECT_EQ(figure["values"], Json({10, 20}));
  EXPECT_EQ(figure["mean"], 15.0);
  EXPECT_LT(figure["ci95_low"], 10.0);
  EXPECT_GT(figure["ci95_high"], 20.0);
  EXPECT_EQ(json["comparison"][0]["repetitions"]["ci95_low"], 990'000.0);
  EXPECT_NE(result_hash(report), result_hash(example_report())) << "the values are found";
}

TEST(RunReportJson, RangesOfAComparisonAreBesideItsRatio) {
  RunReport report = example_report();
  EXPECT_FALSE(encode(report)["comparison"][0].contains("range"));
  report.comparison[0].range = RatioRange{.low_ppm = 950'000, .high_ppm = 990'000};
  report.cost_hosts = {"fast", "slow"};
  const Json json = encode(report);
  EXPECT_EQ(json["comparison"][0]["range"].dump(), R"({"low_ppm":950000,"high_ppm":990000})");
  EXPECT_EQ(json["cost_hosts"], Json({"fast", "slow"}));
}

TEST(ResultHash, IgnoresDiagnostics) {
  RunReport report = example_report();
  ASSERT_FALSE(report.variants[0].limits.empty());
  report.variants[0].limits[0].movements = {
      {.constant = "machine.nic", .value = "10 Gbit/s", .before = 1, .after = 2}};
  EXPECT_EQ(result_hash(report), result_hash(example_report()));
  const Json limit = encode(report)["variants"][0]["limits"][0];
  EXPECT_EQ(limit["movements"][0]["constant"], "machine.nic");
  EXPECT_EQ(limit["movements"][0]["after"], 2);
}

using Change = std::function<void(RunReport&)>;

TEST(ResultHash, IgnoresSeedClockAndMachine) {
  const Change unseen[] = {
      [](RunReport& r) { r.seed = 8; },
      [](RunReport& r) { r.variants[0].engine.setup_seconds = 99; },
      [](RunReport& r) { r.variants[0].engine.loop_seconds = 99; },
      [](RunReport& r) { r.variants[0].engine.threads = 16; },
      [](RunReport& r) { r.variants[0].engine.one_thread_because = "the states change"; },
      [](RunReport& r) { r.variants[0].engine.skipped = SkipFacts{.spans = 1}; },
      [](RunReport& r) { r.environment.cpu_model = "another"; },
      [](RunReport& r) { r.findings.clear(); },
      [](RunReport& r) { r.environment.started_ms = 5; },
      [](RunReport& r) { r.cost_hosts = {"another"}; },
      [](RunReport& r) {
        r.comparison[0].range = RatioRange{1, 2};
      },
  };
  for (const Change& change : unseen) {
    RunReport report = example_report();
    change(report);
    EXPECT_EQ(result_hash(report), result_hash(example_report())) << &change - unseen;
  }
}

TEST(ResultHash, DependsOnEveryResult) {
  const Change seen[] = {
      [](RunReport& r) { r.scenario = "another"; },
      [](RunReport& r) { r.variants[0].name = "another"; },
      [](RunReport& r) { r.variants[0].status = VariantStatus::Partial; },
      [](RunReport& r) { r.variants[2].reason = "another"; },
      [](RunReport& r) { r.variants[1].dataplane->pod_mtu -= 1; },
      [](RunReport& r) { r.variants[1].dataplane->cross_subnet = true; },
      [](RunReport& r) { r.variants[0].byte_path.checked += 1; },
      [](RunReport& r) { r.variants[0].byte_path.mismatched += 1; },
      [](RunReport& r) { r.variants[0].traffic[0].kind = TrafficKind::Udp; },
      [](RunReport& r) { r.variants[0].traffic[0].throughput_bps += 1; },
      [](RunReport& r) { r.variants[0].traffic[0].goodput_bps += 1; },
      [](RunReport& r) { r.variants[0].traffic[0].connections_per_second = 1; },
      [](RunReport& r) { r.variants[0].traffic[0].packets += {.sent = 1, .delivered = 1}; },
      [](RunReport& r) { r.variants[0].traffic[0].latency_ns.record(1); },
      [](RunReport& r) { r.variants[0].traffic[0].drops[Drop::NoRoute] += 1; },
      [](RunReport& r) { r.variants[0].limits[0].station = "window"; },
      [](RunReport& r) { r.variants[0].cpu_utilisation.mean_ppm += 1; },
      [](RunReport& r) { r.variants[0].cpu_utilisation.max_ppm += 1; },
      [](RunReport& r) { *r.comparison[0].ratio_ppm += 1; },
      [](RunReport& r) { r.comparison[0].ratio_ppm.reset(); },
      [](RunReport& r) { r.comparison[0].baseline = "another"; },
  };
  for (const Change& change : seen) {
    RunReport report = example_report();
    change(report);
    EXPECT_NE(result_hash(report), result_hash(example_report())) << &change - seen;
  }
}

/// A report in which every field of the document occurs.
RunReport full_report() {
  RunReport report = example_report();
  report.seeds = {7, 8'000'000'000'000'000'000u};
  report.events = {{.at_ns = 5, .until_ns = 9, .what = "remove-route", .place = "s.yaml:3:5"}};
  report.comparison[0].repeated_ppm = {986'192, 990'000};
  report.comparison[0].range = RatioRange{.low_ppm = 950'000, .high_ppm = 990'000};
  report.cost_hosts = {"fast", "slow"};
  report.shoot = "garden-dev/a";
  report.present_variant = "ipip";
  report.environment.started_ms = 1'795'824'000'000;
  VariantResult& variant = report.variants[1];
  variant.status = VariantStatus::Partial;
  variant.reason = "the run ended early";
  variant.ending = Ending::EventLimit;
  variant.steps = {{.at_ns = 5, .what = "remove-route", .lines = {"node-1", "- default"}}};
  variant.limits[0].state_entry = "dev eth0";
  variant.limits[0].movements = {{.constant = "machine.nic",
                                  .value = "10 Gbit/s",
                                  .metric = "goodput_bps",
                                  .before = 1,
                                  .after = 2,
                                  .also = {{.metric = "packets.dropped", .before = 3}}}};
  variant.explained = {{.traffic = "", .metric = "latency_ns.p99"},
                       {.traffic = "bulk", .metric = "latency_ns.p99"}};
  TrafficResult& traffic = variant.traffic[0];
  traffic.transactions = 3;
  traffic.connections_per_second = 52'860;
  traffic.completion_ns.record(1'000'000);
  traffic.interruptions = Interruptions{.flows = 4, .interrupted = 1, .not_resumed = 1};
  traffic.interruptions->longest_ns.record(7);
  traffic.steady_state = SteadyState{.reached = true, .from = milliseconds(3), .bias_ppm = -20};
  traffic.latency_steady_state = SteadyState{.drift_ppm = 60'000};
  traffic.repeated = {{.metric = "goodput_bps", .values = {3, 5}}};
  Series series{.end_ns = {1000, 1500}, .rack_link_packets = {1, 0}};
  series.traffic.push_back({.name = "bulk",
                            .throughput_bps = {0, 8},
                            .goodput_bps = {0, 7},
                            .sent = {1, 2},
                            .delivered = {1, 1}});
  series.traffic[0].drops[Drop::NicQueueFull] = {0, 2};
  series.nodes = {.cpu_ppm = {1, 2}, .cpu_max_ppm = {3, 4}, .nic_bytes = {1538, 0}};
  series.each_node = {{.name = "node-1", .cpu_ppm = {5, 6}}, {.name = "node-2"}};
  variant.series = {series};
  variant.engine.one_thread_because = "the states change";
  variant.engine.skipped = SkipFacts{
      .spans = 2, .skipped_ns = 900, .simulated_ns = 1000, .packets = 7, .none_because = ""};
  return report;
}

TEST(RunReportJson, TheDocumentIsTheSameAfterItWasRead) {
  for (const RunReport& report : {example_report(), full_report()}) {
    const Json document = encode(report);
    const auto read = decode_run_report(Json::parse(document.dump()));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(encode(*read).dump(1), document.dump(1));
  }
}

TEST(RunReportJson, NamesWhatIsWrongInADocument) {
  struct Case {
    const char* pointer;
    Json value;
    const char* problem;
  };
  const Case kCases[] = {
      {"/kind", "Version", "a Version, not a RunReport"},
      {"/schema_version", 99, "schema_version 99 of RunReport; this program reads version 1"},
      {"/seed", -1, "seed: not a whole number from 0"},
      {"/variants/0/status", "fine", "variants[0].status: \"fine\" is not known here"},
      {"/variants/0/traffic/0/packets/sent", 1,
       "variants[0].traffic[0].packets: sent is not delivered + dropped + in_flight"},
      {"/variants/0/traffic/0/drops",
       {{"gremlins", 1}},
       "variants[0].traffic[0].drops.gremlins: not a reason for drops"},
      {"/variants/0/traffic/0/latency_ns/buckets", "7",
       "variants[0].traffic[0].latency_ns: a bucket is not END:COUNT"},
      {"/variants/0/nodes/cpu_utilisation/mean", 1e300,
       "variants[0].nodes.cpu_utilisation.mean: not a fraction"},
      {"/findings/0/severity", "bad", "findings[0].severity: \"bad\" is not known here"},
  };
  for (const Case& row : kCases) {
    Json document = encode(example_report());
    document[Json::json_pointer(row.pointer)] = row.value;
    const auto read = decode_run_report(document);
    ASSERT_FALSE(read) << row.pointer;
    EXPECT_EQ(read.error(), row.problem);
  }
}

TEST(RunReportJson, TheSchemaHasEveryMemberThatIsWritten) {
  const std::function<void(const Json&, const Json&, const std::string&)> compare =
      [&](const Json& schema, const Json& value, const std::string& path) {
        if (value.is_array())
          for (const Json& item : value)
            compare(schema.at("items"), item, path + "[]");
        if (!value.is_object() || !schema.contains("properties")) return;
        EXPECT_EQ(schema.at("additionalProperties"), false) << path;
        for (const auto& required : schema.at("required"))
          EXPECT_TRUE(value.contains(required)) << path << ": " << required;
        for (const auto& [key, member] : value.items()) {
          ASSERT_TRUE(schema.at("properties").contains(key)) << path << ": " << key;
          compare(schema["properties"][key], member, path + "." + key);
        }
      };
  compare(run_report_schema(), encode(example_report()), "");
}

TEST(RunReportJson, EachFieldOfTheSchemaHasADescription) {
  const std::function<void(const Json&, const std::string&)> check = [&](const Json& schema,
                                                                         const std::string& path) {
    if (schema.contains("items")) check(schema["items"], path + "[]");
    if (!schema.contains("properties")) return;
    for (const auto& [key, property] : schema["properties"].items()) {
      const std::string text = property.value("description", "");
      EXPECT_TRUE(text.ends_with('.')) << path << "." << key << ": " << text;
      check(property, path + "." + key);
    }
  };
  check(run_report_schema(), "");
}

TEST(RunReportJson, TheSchemaSaysWhatAValueCanBe) {
  const Json schema = run_report_schema();
  const Json& report = schema["properties"];
  const auto without_text = [](Json property) {
    property.erase("description");
    return property;
  };
  EXPECT_EQ(without_text(report["kind"]), (Json{{"const", "RunReport"}}));
  EXPECT_EQ(without_text(report["seed"]), (Json{{"type", "integer"}, {"minimum", 0}}));
  EXPECT_EQ(without_text(report["result_hash"]), (Json{{"type", {"string", "null"}}}));
  EXPECT_EQ(without_text(report["executor"]),
            (Json{{"type", "string"}, {"enum", {"sim", "kernel"}}}));
  const Json& traffic = report["variants"]["items"]["properties"]["traffic"]["items"];
  EXPECT_EQ(traffic["properties"]["latency_ns"]["type"], (Json{"object", "null"}));
  EXPECT_EQ(traffic["properties"]["drops"]["additionalProperties"], (Json{{"type", "integer"}}));
  EXPECT_THAT(traffic["required"], testing::Contains(Json("goodput_bps")));
  EXPECT_THAT(traffic["required"], testing::Not(testing::Contains(Json("repetitions"))));
}

}  // namespace run_report_json_test

}  // namespace overlane::model
