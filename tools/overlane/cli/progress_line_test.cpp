#include "tools/overlane/cli/progress_line.h"

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace overlane::command {
namespace progress_line_test {

TEST(ProgressLine, ShowsProgressSpeedAndRemainingTime) {
  EXPECT_EQ(
      progress_text({.runs = 12,
                     .done = 5,
                     .simulated = milliseconds(1000),
                     .duration = milliseconds(2400),
                     .packets = 3'000'000,
                     .seconds = 10,
                     .left = 14.2,
                     .busy = {"routed bulk", "ipip bulk"}}),
      "42 % of 2.400 s, about 14 s left; 5 of 12 runs; 0.1 s/s, 300,000 packets/s; routed bulk, "
      "ipip bulk");
}

TEST(ProgressLine, OmitsUnknownValues) {
  EXPECT_EQ(progress_text({}), "");
  EXPECT_EQ(progress_text({.runs = 1, .duration = milliseconds(100)}),
            "0 % of 0.100 s; 0 of 1 runs");
}

TEST(ProgressLine, LongTimesAreInMinutesAndHours) {
  const auto text = [](double left) {
    return progress_text({.runs = 1, .duration = milliseconds(100), .left = left});
  };
  EXPECT_TRUE(text(0.2).starts_with("0 % of 0.100 s, about 1 s left;")) << text(0.2);
  EXPECT_TRUE(text(200).starts_with("0 % of 0.100 s, about 3 min 20 s left;")) << text(200);
  EXPECT_TRUE(text(7500).starts_with("0 % of 0.100 s, about 2 h 05 min left;")) << text(7500);
}

TEST(StepsLine, EstimatesTheRest) {
  StepsView view{.what = "simulating", .unit = "runs", .done = 0, .count = 40, .seconds = 6};
  EXPECT_EQ(steps_text(view), "simulating: 0 % (0 of 40 runs)");
  view.done = 12;
  EXPECT_EQ(steps_text(view), "simulating: 30 % (12 of 40 runs), about 14 s left");
  view.done = 40;
  EXPECT_EQ(steps_text(view), "simulating: 100 % (40 of 40 runs)");
  EXPECT_EQ(steps_text({.what = "reading", .seconds = 3}), "reading, 3 s so far");
  EXPECT_EQ(steps_text({.what = "fitting",
                        .unit = "runs",
                        .done = 1'000,
                        .count = 4'000,
                        .seconds = 10,
                        .is_estimate = true}),
            "fitting: 25 % (1,000 of about 4,000 runs), about 30 s left");
  EXPECT_EQ(steps_text({}), "");
}

TEST(StepsLine, TakesStepsFromSeveralThreads) {
  testing::internal::CaptureStderr();
  {
    StepsLine line(true);
    line.begin("simulating", "runs");
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i <= 4; ++i)
      threads.emplace_back([&line, i] { line.advance(i, 4); });
    threads.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_NE(shown.find("simulating: 100 % (4 of 4 runs)"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << shown;
}

TEST(StepsLine, IsSilentUnlessItIsShown) {
  testing::internal::CaptureStderr();
  {
    StepsLine line(false);
    line.begin("simulating", "runs");
    line.advance(1, 2);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace progress_line_test
}  // namespace overlane::command
