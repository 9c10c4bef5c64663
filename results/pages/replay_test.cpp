#include "results/pages/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"

namespace overlane::pages {
namespace replay_test {

using ::testing::HasSubstr;
using ::testing::Not;

Replay example() {
  return {
      .overview = {.title = "All strategies",
                   .shade = "pairs",
                   .axis = "after the change",
                   .begin = 0,
                   .end = 10,
                   .rows = {{"today", {0, 500'000}}},
                   .lanes = {}},
      .nodes = {"node-1", "node-2"},
      .courses = {{.name = "<today>",
                   .chart_title = "shoot: strategy today",
                   .end = 10'000,
                   .steps = {{2'000, "bird", "writes its routes"}},
                   .outages = {{0, 1, 2'000, 5'000, "no-route"},
                               {1, 0, 2'000, kReplayEnd, "no-route"}},
                   .states = {{"node-1", {{"default via a", {{0, 2'000}, {5'000, kReplayEnd}}}}}},
                   .left_out = {"This page has the states of 1 of 2 nodes."}}},
      .first = 0};
}

TEST(Replay, TheDataHaveEachTextOnceAndNoEndForWhatLasts) {
  const auto data = replay_data(example());
  EXPECT_EQ(data["texts"],
            (std::vector<std::string>{"bird", "writes its routes", "no-route", "default via a"}));
  const auto& course = data["courses"][0];
  EXPECT_EQ(course["steps"].dump(), "[[2000,0,1]]");
  EXPECT_EQ(course["outages"].dump(), "[[0,1,2000,5000,2],[1,0,2000,null,2]]");
  EXPECT_EQ(course["states"][0]["lines"].dump(), "[[3,0,2000,5000,null]]");
  EXPECT_EQ(course["left_out"].size(), 1u);
}

TEST(Replay, APageHasTheOverviewAndTheControlsBehindTheFirstSection) {
  const Replay replay = example();
  const answer::Document document{
      .title = "t",
      .sections = {{.heading = "first", .blocks = {answer::Paragraph{.text = "a"}}},
                   {.heading = "second", .blocks = {answer::Paragraph{.text = "b"}}}}};
  const std::string page = document_page(document, {.replay = &replay});
  const std::size_t overview = page.find(">All strategies</text>");
  EXPECT_GT(overview, page.find("<h2>First</h2>"));
  EXPECT_LT(overview, page.find("<h2>Second</h2>"));
  EXPECT_THAT(page, HasSubstr("<option value=\"0\" selected>&lt;today&gt;</option>"));
  EXPECT_THAT(page, HasSubstr("<input type=\"range\" id=\"replay-time\""));
  EXPECT_THAT(page, HasSubstr("\"replay\":{\"nodes\""));
  EXPECT_THAT(document_page(document), Not(HasSubstr("id=\"replay\"")));
}

}  // namespace replay_test
}  // namespace overlane::pages
