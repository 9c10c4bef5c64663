#include "dataplane/net/drop.h"

#include <set>

#include <gtest/gtest.h>

namespace overlane {
namespace drop_test {

TEST(Drop, EveryReasonHasItsOwnRowNameAndMeaning) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kDropCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kDrops[i].drop), i) << kDrops[i].name;
    EXPECT_FALSE(kDrops[i].meaning.empty());
    names.insert(kDrops[i].name);
  }
  EXPECT_EQ(names.size(), kDropCount);
  EXPECT_EQ(static_cast<std::size_t>(Drop::RandomLoss) + 1, kDropCount)
      << "the last reason has no row";
}

TEST(DropCounts, AddsUpByReason) {
  DropCounts a;
  DropCounts b;
  a[Drop::NoRoute] = 2;
  b[Drop::NoRoute] = 3;
  b[Drop::MtuExceeded] = 1;
  a += b;
  EXPECT_EQ(a[Drop::NoRoute], 5);
  EXPECT_EQ(a.total(), 6);
}

}  // namespace drop_test
}  // namespace overlane
