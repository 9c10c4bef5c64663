#include "sim/host/machine.h"

#include <gtest/gtest.h>

namespace overlane::host {

namespace frame_test {

TEST(Link, FrameTimeMatchesTheGeneralFormula) {
  for (const std::int64_t rate :
       {std::int64_t{1'000'000'000}, std::int64_t{3'000'000'007}, 10'000'000'000, 12'500'000'000,
        25'000'000'000, 30'000'000'000, 100'000'000'000})
    for (const std::int64_t bytes : {20, 46, 47, 1'500, 9'001, 65'575})
      EXPECT_EQ(Link({rate}).frame_time(bytes), frame_time(bytes, {rate})) << rate << " " << bytes;
  EXPECT_EQ(Link({10'000'000'000}).frame_time(1'500), picoseconds(1'538 * 800));
  EXPECT_EQ(Link({10'000'000'000}).frame_time(20), picoseconds(84 * 800)) << "the shortest frame";
}

}  // namespace frame_test

}  // namespace overlane::host
