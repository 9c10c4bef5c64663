#include "scenarios/migration/observe/interrupted_share.h"

#include <gtest/gtest.h>

namespace overlane::migration {
namespace interrupted_share_test {

using Ppm = std::vector<std::uint32_t>;

TEST(InterruptedShare, CountsOrderedPairsOfEachClassOverTime) {
  // Nodes 0 and 1 in one zone, 2 in another: two pairs within, four across.
  const std::vector<std::uint32_t> zones{0, 0, 1};
  const std::vector<Outage> outages{{0, 1, seconds(10), seconds(12), Drop::FabricNoRoute},
                                    {0, 2, seconds(10), seconds(20), Drop::FabricNoRoute},
                                    {2, 0, seconds(14), seconds(16), Drop::RpFilter}};
  const auto shares = interrupted_share(outages, zones, 5);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].begin, seconds(10));
  EXPECT_EQ(shares[0].column, seconds(2));
  EXPECT_EQ(shares[0].ppm, (Ppm{500'000, 0, 0, 0, 0}));
  EXPECT_EQ(shares[1].ppm, (Ppm{250'000, 250'000, 500'000, 250'000, 250'000}));
}

TEST(InterruptedShare, ShowsOutagesThatAreNeverOver) {
  const std::vector<Outage> outages{{0, 1, seconds(10), std::nullopt, Drop::FabricNoRoute}};
  const auto shares = interrupted_share(outages, {0, 0}, 4);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].ppm, (Ppm{500'000, 500'000, 500'000, 500'000}));
  EXPECT_TRUE(interrupted_share({}, {0, 0}, 4).empty());
}

}  // namespace interrupted_share_test
}  // namespace overlane::migration
