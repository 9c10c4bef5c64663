#include "sim/run/skip/queue_bound.h"

#include <gtest/gtest.h>

namespace overlane::run {
namespace queue_bound_test {

TEST(QueueBound, OneFlowWaitsForItselfOnlyIfItIsLate) {
  QueueBound link;
  link.add(microseconds(100), {}, microseconds(1));
  EXPECT_TRUE(link.is_stable());
  EXPECT_GE(link.longest({}), microseconds(1));
  EXPECT_LT(link.longest({}), microseconds(2));
  QueueBound late;
  late.add(microseconds(100), microseconds(200), microseconds(1));
  EXPECT_GE(late.longest({}), microseconds(3)) << "three packets may come at once";
  EXPECT_GE(late.packets({}), 3);
}

TEST(QueueBound, AllFlowsMayComeAtOnce) {
  QueueBound link;
  for (int flow = 0; flow < 1'000; ++flow)
    link.add(milliseconds(10), {}, microseconds(1));
  EXPECT_TRUE(link.is_stable());
  EXPECT_GE(link.longest({}), milliseconds(1));
  EXPECT_GE(link.packets({}), 1'000);
  EXPECT_GE(link.longest(milliseconds(2)), milliseconds(3)) << "after what waits already";
}

TEST(QueueBound, FlowsThatNeedTheWholeLinkHaveNone) {
  QueueBound link;
  link.add(microseconds(2), {}, microseconds(1));
  EXPECT_TRUE(link.is_stable());
  link.add(microseconds(2), {}, microseconds(1));
  EXPECT_FALSE(link.is_stable());
}

}  // namespace queue_bound_test
}  // namespace overlane::run
