#include "scenarios/runner/plan/parallel.h"

#include <gtest/gtest.h>

namespace overlane::runner {
namespace parallel_test {

TEST(Threads, AreNoMoreThanTheControlGroupAllows) {
  EXPECT_EQ(allowed_cores("200000 100000"), 2u);
  EXPECT_EQ(allowed_cores("150000 100000\n"), 2u) << "rounded up";
  EXPECT_EQ(allowed_cores("5000 100000"), 1u);
  EXPECT_EQ(allowed_cores("6400000 100000"), 64u);
  for (const char* unlimited :
       {"max 100000", "", "max", "0 100000", "100000", "100000 0", "-1 100000"})
    EXPECT_EQ(allowed_cores(unlimited), std::nullopt) << unlimited;
}

TEST(Threads, AreAsManyAsAskedFor) {
  EXPECT_EQ(thread_count(7), 7u);
  EXPECT_GE(thread_count(0), 1u);
}

TEST(Threads, AreSharedByTheRuns) {
  EXPECT_EQ(threads_of_each(1, 8), 8u);
  EXPECT_EQ(threads_of_each(3, 8), 2u);
  EXPECT_EQ(threads_of_each(9, 8), 1u);
  EXPECT_EQ(threads_of_each(0, 8), 8u);
}

}  // namespace parallel_test
}  // namespace overlane::runner
