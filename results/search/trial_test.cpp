#include "results/search/trial.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace overlane::search {
namespace trial_test {

using enum LoadClass;

/// RFC 9971, "Example Goals".
const Goal kRfc2544{"RFC2544", 0, 0, 0.005, seconds(60), seconds(60)};
const Goal kTst009{"TST009", 0, 0.5, 0.005, seconds(60), seconds(120)};
const Goal kOneSecond{"1s final", 0.005, 0.5, 0.005, seconds(1), seconds(120)};
const Goal kTwentyPercent{"20% exceed", 0.005, 0.2, 0.005, seconds(60), seconds(60)};

void add(std::vector<Trial>& trials, int count, Picos duration, std::int64_t lost_of_1000) {
  trials.insert(trials.end(), static_cast<std::size_t>(count),
                {duration, 1000, 1000 - lost_of_1000});
}

/// RFC 9971, "Example Trial Results": the trials by the end of each point in time.
std::vector<Trial> trials_at_point(int point) {
  std::vector<Trial> trials;
  add(trials, 59, seconds(1), 0);
  if (point >= 2) add(trials, 1, seconds(1), 10);
  if (point >= 3) add(trials, 59, seconds(1), 10);
  if (point >= 4) add(trials, 1, seconds(1), 0);
  if (point >= 5) add(trials, 1, seconds(60), 1);
  if (point >= 6) add(trials, 1, seconds(60), 0);
  return trials;
}

TEST(Classify, GivesTheResultsOfTheExampleSearchOfRfc9971) {
  struct Row {
    LoadClass rfc2544, tst009, one_second, twenty_percent;
  };
  // "Load Classification Computations". Its tables call the load a lower bound for the last goal at
  // points 5 and 6, although they compute exceed ratios of 42.857 % and 27.273 %, above the goal's
  // 20 %; by the rule and the code of the RFC it is an upper bound.
  constexpr std::array<Row, 6> kRows{{{Undecided, Undecided, Undecided, Undecided},
                                      {UpperBound, Undecided, Undecided, Undecided},
                                      {UpperBound, Undecided, Undecided, UpperBound},
                                      {UpperBound, Undecided, LowerBound, UpperBound},
                                      {UpperBound, Undecided, LowerBound, UpperBound},
                                      {UpperBound, LowerBound, LowerBound, UpperBound}}};
  for (int point = 1; point <= 6; ++point) {
    const auto trials = trials_at_point(point);
    const Row& row = kRows[static_cast<std::size_t>(point - 1)];
    EXPECT_EQ(classify(trials, kRfc2544), row.rfc2544) << point;
    EXPECT_EQ(classify(trials, kTst009), row.tst009) << point;
    EXPECT_EQ(classify(trials, kOneSecond), row.one_second) << point;
    EXPECT_EQ(classify(trials, kTwentyPercent), row.twenty_percent) << point;
  }
}

TEST(ConditionalThroughput, IsThatOfTheExampleSearchOfRfc9971) {
  const auto trials = trials_at_point(6);
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kTst009), 1'000'000);
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kOneSecond), 1'000'000);
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kTwentyPercent), 999'000);
}

TEST(ConditionalThroughput, MissingTrialsCountAsLost) {
  std::vector<Trial> trials;
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kTst009), 0);
  add(trials, 1, seconds(60), 0);
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kTst009), 1'000'000);
  EXPECT_EQ(conditional_throughput(1'000'000, trials, kTwentyPercent), 1'000'000);
  const Goal three{"", 0, 0.5, 0.005, seconds(60), seconds(180)};
  EXPECT_EQ(conditional_throughput(1'000'000, trials, three), 0);
}

TEST(Classify, DecidesAsSoonAsFurtherTrialsCannotChangeIt) {
  const Goal goal;  // 21 trials of a second, of which half may lose.
  std::vector<Trial> trials;
  EXPECT_EQ(classify(trials, goal), Undecided);
  add(trials, 10, seconds(1), 1);
  add(trials, 10, seconds(1), 0);
  EXPECT_EQ(classify(trials, goal), Undecided);
  std::vector<Trial> good = trials;
  add(good, 1, seconds(1), 0);
  EXPECT_EQ(classify(good, goal), LowerBound);
  add(trials, 1, seconds(1), 1);
  EXPECT_EQ(classify(trials, goal), UpperBound);
}

TEST(Classify, SumsOfShortTimesAreExact) {
  // Twenty trials of 50 ms: ten with loss are just allowed.
  const Goal goal{"", 0, 0.5, 0.005, milliseconds(50), milliseconds(1000)};
  std::vector<Trial> trials;
  add(trials, 10, milliseconds(50), 1);
  add(trials, 9, milliseconds(50), 0);
  EXPECT_EQ(classify(trials, goal), Undecided);
  add(trials, 1, milliseconds(50), 0);
  EXPECT_EQ(classify(trials, goal), LowerBound);
}

}  // namespace trial_test
}  // namespace overlane::search
