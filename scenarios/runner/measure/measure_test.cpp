#include "scenarios/runner/measure/measure.h"

#include <gtest/gtest.h>

namespace overlane::runner {

namespace progress_test {

constexpr Picos kSecond = milliseconds(1000);

RunState done(std::size_t round, double seconds) {
  return {
      .round = round, .duration = kSecond, .simulated = kSecond, .seconds = seconds, .done = true};
}
RunState waiting(std::size_t round) {
  return {.round = round, .duration = kSecond};
}

TEST(SecondsLeft, UnknownBeforeAnythingWasSimulated) {
  EXPECT_FALSE(seconds_left({}, 1));
  EXPECT_FALSE(seconds_left({waiting(0), waiting(1)}, 1));
}

TEST(SecondsLeft, RunTakesAsLongAsOthersWithTheSameTraffic) {
  // Datagrams take 1 s and streams 9 s, so the next variant takes another 10 s.
  const std::vector<RunState> runs = {done(0, 1), done(1, 9), waiting(0), waiting(1)};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1).value(), 10);
  const std::vector<RunState> later = {done(0, 1), done(1, 9), done(0, 1), waiting(1)};
  EXPECT_DOUBLE_EQ(seconds_left(later, 1).value(), 9);
}

TEST(SecondsLeft, TrafficNotYetStartedTakesTheMeanOfAll) {
  EXPECT_DOUBLE_EQ(seconds_left({done(0, 2), done(1, 4), waiting(2)}, 1).value(), 3);
}

TEST(SecondsLeft, ActiveRunContinuesAtItsPace) {
  const RunState quarter{
      .round = 0, .duration = kSecond, .simulated = milliseconds(250), .seconds = 2};
  EXPECT_DOUBLE_EQ(seconds_left({quarter}, 1).value(), 6);
}

TEST(SecondsLeft, ThreadsShareTheWorkButNotARun) {
  const std::vector<RunState> four = {done(0, 3), waiting(0), waiting(0), waiting(0), waiting(0)};
  EXPECT_DOUBLE_EQ(seconds_left(four, 2).value(), 6);
  EXPECT_DOUBLE_EQ(seconds_left({done(0, 3), waiting(0)}, 8).value(), 3);
}

TEST(Progress, ShowsActiveRuns) {
  Progress progress;
  EXPECT_EQ(progress.look().runs, 0u);
  progress.begin({{.variant = "routed", .traffic = "bulk", .duration = kSecond},
                  {.variant = "ipip", .traffic = "bulk", .duration = kSecond}},
                 1);
  run::Watch& watch = progress.start(0);
  watch.show(milliseconds(500), 1000);
  Progress::View view = progress.look();
  EXPECT_EQ(view.simulated, milliseconds(500));
  EXPECT_EQ(view.duration, milliseconds(2000));
  EXPECT_EQ(view.packets, 1000);
  EXPECT_EQ(view.busy, std::vector<std::string>{"routed bulk"});
  EXPECT_EQ(view.done, 0u);
  progress.finish(0);
  view = progress.look();
  EXPECT_EQ(view.done, 1u);
  EXPECT_EQ(view.simulated, kSecond);
  EXPECT_TRUE(view.busy.empty());
  EXPECT_TRUE(view.left.has_value());
}

}  // namespace progress_test

}  // namespace overlane::runner
