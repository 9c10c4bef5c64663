#include "dataplane/net/drop.h"

#include <set>

#include <gtest/gtest.h>

namespace overlane {
namespace drop_test {

TEST(Drop, EveryReasonHasItsOwnRowNameAndMeaning) {
  std::set<std::string_view> names;
  for (const DropFacts& row : kDrops) {
    EXPECT_FALSE(row.meaning.empty());
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), kDropCount);
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
