#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {
namespace search_test {

using command::Answer;
using command::run_overlane;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kShoot = "topologies/library/manifests/shoot-aws.yaml ";
/// The node and the tester take turns, so that other load of the machine does not affect the
/// result.
const std::string kShort =
    " --no-hugepages --memory 256 --routes 4 --flows 16 --core 0 --trial 2ms --trials 3 --width 10";

TEST(Search, FindsLoadsOfEachCase) {
  const Answer answer =
      run_overlane("search " + kShoot + "--mode routed,vxlan --direction encap -o json" + kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["kind"], "FastpathLoadReport");
  ASSERT_EQ(report["cases"].size(), 2u);
  for (const auto& one : report["cases"]) {
    EXPECT_EQ(one["direction"], "encap");
    EXPECT_EQ(one["clock"], "node");
    EXPECT_EQ(one["flows"], 16);
    ASSERT_EQ(one["goals"].size(), 2u);
    EXPECT_EQ(one["goals"][0]["name"], "NDR");
    EXPECT_EQ(one["goals"][1]["name"], "PDR");
    EXPECT_EQ(one["goals"][1]["duration_sum_ns"], 6'000'000);
    EXPECT_GT(one["trials"], 3);
    EXPECT_GT(one["losses"]["no_room"], 0);
    EXPECT_EQ(one["losses"]["punted"], 0);
    EXPECT_TRUE(one["interruptions"].is_number());
    // A core forwards some packets at any offered load.
    for (const auto& load : one["loads"])
      for (const auto& trial : load["trials"])
        EXPECT_GT(trial["forwarded"], 0) << load;
  }
}

TEST(Search, BenchReportsWhatCsitDoes) {
  const Answer answer =
      run_overlane("bench " + kShoot + "--mode vxlan --direction decap --search --packets 5000" +
                   " --repeat 1 -o json" + kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto one = nlohmann::json::parse(answer.out)["cases"][0];
  EXPECT_GT(one["mpps"], 0.0);
  const auto load = one["load"];
  EXPECT_EQ(load["mrr_trials_pps"].size(), 10u);
  EXPECT_GT(load["mrr_pps"], 10'000);
  EXPECT_EQ(load["goals"].size(), 2u);
  ASSERT_EQ(load["latency"].size(), 4u);
  EXPECT_EQ(load["latency"][0]["of_pdr"], 0.0);
  EXPECT_GT(load["latency"][3]["latency_ns"]["p99"], 0);
}

TEST(Search, TableNamesTheClockThatItMeasuresBy) {
  const Answer answer =
      run_overlane("search " + kShoot + "--mode routed --direction both --max 20000" + kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("mode/way/size "));
  EXPECT_THAT(answer.out,
              HasSubstr("routed/both/64         NDR             ? 0.0200     0.0200          -"));
  EXPECT_THAT(command::unwrapped(answer.out),
              HasSubstr("(irregular): the maximum load of 20000 packets/s reaches the goal"));
  EXPECT_THAT(answer.out, HasSubstr("take turns on one core"));
}

TEST(Search, RejectsUnsupportedArguments) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane("search " + kShoot + arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments;
    return command::unwrapped(answer.err);
  };
  EXPECT_THAT(error("--min 5000 --max 4000", 2), HasSubstr("above the maximum of 4000"));
  EXPECT_THAT(error("--width 0", 2), HasSubstr("a width of 0 %"));
  EXPECT_THAT(error("--loss 101", 2), HasSubstr("a loss ratio of 101 %"));
  EXPECT_THAT(error("--trial 1ms --min 10", 2), HasSubstr("offers no packet"));
  EXPECT_THAT(error("--trial 0ms", 2), HasSubstr("longer than 0 s"));
  EXPECT_THAT(error("--cores 0,0 --no-hugepages", 4), HasSubstr("a core is named twice"));
  EXPECT_THAT(error("--core 900 --no-hugepages", 4), HasSubstr("there is no core 900"));
  EXPECT_THAT(error("--memory 1000000", 4), HasSubstr("MiB of free hugepages are needed"));
}

}  // namespace search_test
}  // namespace overlane::fastpath
