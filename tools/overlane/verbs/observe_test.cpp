#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace observe_test {

using testing::HasSubstr;
using testing::Not;

const std::string kShoot = "topologies/library/manifests/shoot-aws.yaml";

TEST(Observe, SeriesIsAddedToTheReportAndChangesNothingElse) {
  const auto plain = nlohmann::json::parse(run_overlane("run -o json " + kShoot).out);
  EXPECT_FALSE(plain["variants"][0].contains("series"));
  const auto counted =
      nlohmann::json::parse(run_overlane("run -o json --series=40ms --series-nodes " + kShoot).out);
  EXPECT_EQ(counted["result_hash"], plain["result_hash"]);
  const auto& series = counted["variants"][1]["series"];
  ASSERT_EQ(series.size(), 7u) << "the traffic is not concurrent";
  EXPECT_EQ(series[0]["end_ns"], (std::vector<int>{40'000'000, 80'000'000, 100'000'000}));
  EXPECT_EQ(series[0]["traffic"][0]["name"], "bulk");
  EXPECT_EQ(series[0]["traffic"][0]["goodput_bps"].size(), 3u);
  EXPECT_EQ(series[0]["nodes"]["cpu_utilisation_ppm"]["max"].size(), 3u);
  EXPECT_EQ(series[0]["each_node"][0]["name"], "node-1");
  EXPECT_EQ(counted["variants"][1]["traffic"][0]["steady_state"]["method"], "mser-5");
}

TEST(Observe, SeriesIsDrawnInTheTable) {
  const Answer answer = run_overlane("run --series " + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("over time (each bar 2.00 ms"));
  EXPECT_THAT(answer.out, HasSubstr("  bulk throughput (█ 5.0"));
  EXPECT_THAT(answer.out, HasSubstr("    ipip   ▇██████"));
  EXPECT_THAT(run_overlane("run " + kShoot).out, Not(HasSubstr("over time")));
}

TEST(Observe, InvalidIntervalIsRefusedWithASuggestion) {
  const Answer absurd = run_overlane("run --series=1ns " + kShoot);
  EXPECT_EQ(absurd.exit_code, 2);
  EXPECT_THAT(absurd.err, HasSubstr("[series-too-long]; intervals of "));
  EXPECT_EQ(run_overlane("run --series=0ms " + kShoot).exit_code, 2);
  const Answer no_unit = run_overlane("run --series=10 " + kShoot);
  EXPECT_EQ(no_unit.exit_code, 2);
  EXPECT_THAT(no_unit.err, HasSubstr("has no unit"));
}

TEST(Observe, FlowIsTracedToStandardErrorOrAsJsonLines) {
  const Answer answer = run_overlane("run --quiet --trace-flow bulk/0 --trace-limit 20 " + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, HasSubstr("flow bulk/0 of variant routed: 100."));
  EXPECT_THAT(answer.err, HasSubstr("sent 60 B [S] seq 0"));
  EXPECT_THAT(answer.err, HasSubstr("more lines (--trace-limit)"));
  EXPECT_THAT(answer.err, HasSubstr("where the time of all packets went"));

  const std::string file = write_temporary("trace.jsonl", "");
  EXPECT_EQ(run_overlane("run --trace-flow bulk/0 --trace-out " + file + " " + kShoot).exit_code,
            0);
  const std::string text = read_text(file);
  const auto line = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(line["event"], "sent");
  EXPECT_EQ(line["tcp"]["flags"], "S");
}

TEST(Observe, UnknownFlowIsAUsageErrorWithAListOfFlows) {
  const Answer answer = run_overlane("run --trace-flow web/3 " + kShoot);
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("--trace-flow web/3: there is no such traffic"));
  EXPECT_THAT(unwrapped(answer.err), HasSubstr("there are bulk/0 (100."));
  EXPECT_EQ(run_overlane("run --trace-limit 5 " + kShoot).exit_code, 2) << "of what?";
}

TEST(Observe, CaptureIsReadByDecode) {
  const std::string file = write_temporary("run.pcapng", "");
  const std::string stem = file.substr(0, file.rfind('.'));
  EXPECT_EQ(run_overlane("run --pcap " + file + " --pcap-limit 50 --pcap-sample 1/10 " + kShoot)
                .exit_code,
            0);
  const Answer decoded = run_overlane("decode " + stem + "-ipip-bulk.pcapng");
  EXPECT_EQ(decoded.exit_code, 0) << decoded.err;
  EXPECT_THAT(decoded.out, HasSubstr("50 packets, 0 of them with problems"));
  EXPECT_THAT(decoded.out, HasSubstr("10.250.0.4 > 10.250.0.5, ttl 63, df\n"));
  EXPECT_EQ(run_overlane("run --pcap /nowhere/x.pcapng " + kShoot).exit_code, 4);
  EXPECT_EQ(run_overlane("run --pcap " + file + " --pcap-sample 0 " + kShoot).exit_code, 2);
}

}  // namespace observe_test
}  // namespace overlane::command
