#include "topologies/ranges/sweep.h"

#include <string>

#include <gtest/gtest.h>

namespace overlane::ranges {
namespace sweep_test {

/// Ids count from 0.
std::vector<IndexedRange> sorted(const std::vector<std::string>& ranges) {
  std::vector<IndexedRange> entries;
  for (const std::string& range : ranges)
    entries.push_back({IpPrefix::parse(range).value(), static_cast<std::uint32_t>(entries.size())});
  sort(entries);
  return entries;
}

/// "range#id" for each entry.
std::string order(const std::vector<IndexedRange>& entries) {
  std::string text;
  for (const IndexedRange& entry : entries)
    text += entry.range.to_string() + "#" + std::to_string(entry.id) + " ";
  return text;
}

/// "+id" and "-id" as the sweep enters and leaves.
std::string steps(const std::vector<IndexedRange>& entries) {
  std::string text;
  sweep(
      entries, [&](const IndexedRange& entry) { text += "+" + std::to_string(entry.id); },
      [&](const IndexedRange& entry) { text += "-" + std::to_string(entry.id); });
  return text;
}

TEST(Sort, PutsIpv4FirstThenLowNetworksThenLargeRangesThenWhatCameFirst) {
  EXPECT_EQ(order(sorted({"::/0", "10.0.0.0/16", "10.0.0.0/8", "0.0.0.0/0", "::/96", "10.0.0.0/16",
                          "fd00::/8", "9.0.0.0/8"})),
            "0.0.0.0/0#3 9.0.0.0/8#7 10.0.0.0/8#2 10.0.0.0/16#1 10.0.0.0/16#5 ::/0#0 ::/96#4 "
            "fd00::/8#6 ");
}

TEST(Sweep, EntersAndLeavesByNesting) {
  EXPECT_EQ(steps(sorted({})), "");
  EXPECT_EQ(steps(sorted({"10.0.0.0/8"})), "+0-0");
  EXPECT_EQ(steps(sorted({"10.0.0.0/9", "10.128.0.0/9"})), "+0-0+1-1");
  EXPECT_EQ(steps(sorted({"10.0.0.0/8", "10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16", "11.0.0.0/8"})),
            "+0+1+2-2+3-3-1-0+4-4");
}

/// 0.0.0.0/0 is ::ffff:0:0/96 as a number, amid ::/0.
TEST(Sweep, KeepsTheFamiliesApart) {
  EXPECT_EQ(steps(sorted({"::/0", "10.0.0.0/8", "::1/128", "fd00::/8"})), "+1-1+0+2-2+3-3-0");
  EXPECT_EQ(count_pairs(sorted({"::/0", "0.0.0.0/0", "::/64", "10.0.0.1/32", "ffff::/16"})), 3u);
}

TEST(CountPairs, CountsEqualAndNestedRanges) {
  EXPECT_EQ(count_pairs({}), 0u);
  EXPECT_EQ(count_pairs(sorted({"10.0.0.0/8", "10.0.0.0/8", "10.0.0.0/8"})), 3u);
  EXPECT_EQ(count_pairs(sorted({"10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/24", "10.1.0.0/24"})), 4u);
  const std::vector<IndexedRange> equal(100'000,
                                        IndexedRange{IpPrefix::parse("100.64.0.0/10").value()});
  EXPECT_EQ(count_pairs(equal), 4'999'950'000u);
}

}  // namespace sweep_test
}  // namespace overlane::ranges
