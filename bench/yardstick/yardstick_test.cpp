#include "bench/yardstick/yardstick.h"

#include <gtest/gtest.h>

namespace overlane::bench {
namespace yardstick_test {

TEST(Yardstick, AStepTakesTimeAndMemoryTakesLonger) {
  Yardstick yardstick;
  for (int i = 0; i < 3; ++i) {
    const model::Yardsticks measured = yardstick.measure();
    EXPECT_GT(measured.compute_ns, 0.1) << "the compiler left it out";
    EXPECT_GT(measured.memory_ns, 0.5) << "the compiler left it out";
  }
}

}  // namespace yardstick_test
}  // namespace overlane::bench
