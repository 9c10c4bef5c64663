#include "tools/overlane/cli/progress_line.h"

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

}  // namespace progress_line_test
}  // namespace overlane::command
