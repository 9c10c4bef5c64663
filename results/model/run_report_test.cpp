#include "results/model/run_report.h"

#include <gtest/gtest.h>

namespace overlane::model {

namespace repeated_test {

TEST(MeanInterval, IsStudentsInterval) {
  // t(0.975) is 12.706 for one degree of freedom, 2.776 for four (any table of the distribution).
  const auto two = mean_interval({10, 20});
  ASSERT_TRUE(two);
  EXPECT_DOUBLE_EQ(two->mean, 15);
  EXPECT_NEAR(two->half_width, 12.706 * 5, 0.01);
  const auto five = mean_interval({8, 9, 10, 11, 12});
  EXPECT_DOUBLE_EQ(five->mean, 10);
  EXPECT_NEAR(five->half_width, 2.776 * 0.70711, 0.001);
}

TEST(MeanInterval, EqualValuesHaveWidthZeroAndOneValueHasNoInterval) {
  EXPECT_DOUBLE_EQ(mean_interval({7, 7, 7})->half_width, 0);
  EXPECT_FALSE(mean_interval({7}));
  EXPECT_FALSE(mean_interval({}));
}

}  // namespace repeated_test

}  // namespace overlane::model
