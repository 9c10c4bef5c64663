#include "dataplane/net/units.h"

#include <gtest/gtest.h>

namespace overlane {
namespace units_test {

constexpr BitsPerSecond kTenGigabit{10'000'000'000};

TEST(Units, SerializationTimeIsExactAndRoundsUp) {
  EXPECT_EQ(serialization_time(Bytes{1538}, kTenGigabit), picoseconds(1'230'400));
  EXPECT_EQ(serialization_time(Bytes{1}, BitsPerSecond{3'000'000'000'000}), picoseconds(3));
  EXPECT_EQ(serialization_time(Bytes{1'000'000'000'000}, kTenGigabit), seconds(800));
}

TEST(Units, MeanRateInvertsSerializationTime) {
  EXPECT_EQ(mean_rate(Bytes{1'250'000'000}, seconds(1)), kTenGigabit);
  EXPECT_EQ(mean_rate(Bytes{1}, picoseconds(0)), BitsPerSecond{0});
}

}  // namespace units_test
}  // namespace overlane
