#include "results/load_search/search_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::search {
namespace search_json_test {

TEST(SearchJson, HasEachGoalWithItsBoundsAndEachTrial) {
  SearchResult result;
  result.trials[1000] = {{seconds(1), 1000, 1000}, {seconds(1), 1000, 999}};
  result.goals = {{Goal{}, Ending::HoldsAtMax, 1000, std::nullopt, 999.6}};
  const auto json = encode(result);
  EXPECT_EQ(json["trials"], 2);
  EXPECT_EQ(json["trials_ns"], 2'000'000'000);
  EXPECT_EQ(json["goals"][0]["name"], "NDR");
  EXPECT_EQ(json["goals"][0]["ending"], "holds-at-max");
  EXPECT_EQ(json["goals"][0]["duration_sum_ns"], 21'000'000'000);
  EXPECT_EQ(json["goals"][0]["lower_bound_pps"], 1000);
  EXPECT_EQ(json["goals"][0]["upper_bound_pps"], nullptr);
  EXPECT_EQ(json["goals"][0]["conditional_throughput_pps"], 1000);
  EXPECT_EQ(json["loads"][0]["pps"], 1000);
  EXPECT_EQ(json["loads"][0]["trials"][1]["forwarded"], 999);
}

TEST(SearchJson, SaysWhatToDoAboutAnIrregularResult) {
  const LoadRange range{.min = 10, .max = 1000};
  const auto text = [&](Ending ending) { return irregularity({.ending = ending}, range); };
  EXPECT_EQ(text(Ending::Regular), "");
  EXPECT_THAT(text(Ending::HoldsAtMax), ::testing::HasSubstr("1000 packets/s reaches the goal"));
  EXPECT_THAT(text(Ending::FailsAtMin), ::testing::HasSubstr("lower --min"));
  EXPECT_THAT(text(Ending::TrialLimit), ::testing::HasSubstr("scatter"));
}

}  // namespace search_json_test
}  // namespace overlane::search
