#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace search_test {

using ::testing::HasSubstr;

const std::string kShoot = "search topologies/library/manifests/shoot-aws.yaml ";

TEST(LoadSearch, ComparesTheVariantsOfAShoot) {
  const Answer answer = run_overlane(kShoot + "-o json --seeds 3 --trial 20ms --width 2");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["kind"], "LoadReport");
  EXPECT_EQ(report["traffic"], "small-datagrams");
  EXPECT_EQ(report["seeds"].size(), 3u);
  ASSERT_EQ(report["variants"].size(), 3u);
  for (const auto& variant : report["variants"]) {
    ASSERT_EQ(variant["goals"].size(), 2u);
    EXPECT_EQ(variant["goals"][0]["name"], "NDR");
    EXPECT_EQ(variant["goals"][1]["loss_ratio"], 0.005);
    for (const auto& goal : variant["goals"]) {
      EXPECT_EQ(goal["ending"], "regular");
      EXPECT_LT(goal["lower_bound_pps"], goal["upper_bound_pps"]);
    }
  }
  EXPECT_EQ(report["comparison"].size(), 4u);
  EXPECT_LT(report["comparison"][0]["ratio"], 1.0);
}

TEST(LoadSearch, TableFitsATerminal) {
  const Answer answer = run_overlane(kShoot + "--max 150000 --seeds 2 --trial 20ms");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  std::istringstream lines(answer.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(report::display_width(line), 80u) << line;
  EXPECT_THAT(answer.out, HasSubstr("NDR: at most 0 % of the datagrams lost"));
  EXPECT_THAT(answer.out, HasSubstr("irregular: NDR of routed, PDR of routed: the maximum load"));
}

TEST(LoadSearch, RefusesBadValues) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane(kShoot + arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments;
    return unwrapped(answer.err);
  };
  EXPECT_THAT(error("--min 5000 --max 4000", 2), HasSubstr("above the maximum of 4000"));
  EXPECT_THAT(error("--width 0", 2), HasSubstr("a width of 0 %"));
  EXPECT_THAT(error("--loss 120", 2), HasSubstr("a loss ratio of 120 %"));
  EXPECT_THAT(error("--loss 0,0", 2), HasSubstr("NDR is asked for twice"));
  EXPECT_THAT(error("--trial 50", 2), HasSubstr("has no unit"));
  EXPECT_THAT(error("--traffic bulk", 2), HasSubstr("choose from \"small-datagrams\""));
  EXPECT_THAT(error("--seeds 0", 2), HasSubstr("not in range"));
}

}  // namespace search_test
}  // namespace overlane::command
