#include "topologies/ranges/sweep.h"

#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "topologies/ranges/testing/oracle.h"

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

namespace sweep_property_test {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

IpPrefix range(const char* text) {
  return IpPrefix::parse(text).value();
}

/// Ids are multiples of `step`: all different if it is odd, and of many bits if it is large.
std::vector<IndexedRange> claims_of(const std::vector<IpPrefix>& ranges, std::uint32_t step) {
  std::vector<IndexedRange> entries;
  for (const IpPrefix& each : ranges)
    entries.push_back({each, static_cast<std::uint32_t>(entries.size()) * step});
  return entries;
}

/// Sorts in the order that sort() promises, by comparing addresses.
std::vector<IndexedRange> slowly_sorted(std::vector<IndexedRange> entries) {
  std::stable_sort(
      entries.begin(), entries.end(), [](const IndexedRange& a, const IndexedRange& b) {
        const auto key = [](const IpPrefix& each) {
          return std::pair(std::pair(!each.is_ipv4(), testing::first(each)), each.bits());
        };
        return key(a.range) < key(b.range);
      });
  return entries;
}

/// Ids of those that are open and of the one that is entered.
Pairs swept(const std::vector<IndexedRange>& sorted) {
  Pairs pairs;
  std::vector<std::uint32_t> open;
  const auto enter = [&](const IndexedRange& entry) {
    for (const std::uint32_t other : open)
      pairs.emplace_back(other, entry.id);
    open.push_back(entry.id);
  };
  const auto leave = [&](const IndexedRange& entry) {
    ASSERT_FALSE(open.empty());
    ASSERT_EQ(open.back(), entry.id);
    open.pop_back();
  };
  sweep(sorted, enter, leave);
  EXPECT_TRUE(open.empty());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expect_as_the_oracle(const std::vector<IpPrefix>& ranges) {
  for (const std::uint32_t step : {1u, 0x9e3779b1u}) {
    std::vector<IndexedRange> entries = claims_of(ranges, step);
    const Pairs expected = testing::overlapping(entries);
    const std::vector<IndexedRange> order = slowly_sorted(entries);
    sort(entries);
    ASSERT_EQ(entries, order);
    ASSERT_EQ(swept(entries), expected);
    ASSERT_EQ(count_pairs(entries), expected.size());
  }
}

TEST(SweepProperty, EveryListOfThreeInTwoSmallUniverses) {
  std::vector<IpPrefix> universe = testing::all_ranges(range("10.0.0.0/28"), 32);
  for (const IpPrefix& each : testing::all_ranges(range("fd00::/126"), 128))
    universe.push_back(each);
  for (const char* each : {"0.0.0.0/0", "::/0", "::/95"})
    universe.push_back(range(each));
  for (const IpPrefix& a : universe) {
    ASSERT_NO_FATAL_FAILURE(expect_as_the_oracle({a}));
    for (const IpPrefix& b : universe) {
      ASSERT_NO_FATAL_FAILURE(expect_as_the_oracle({a, b}));
      for (const IpPrefix& c : universe)
        ASSERT_NO_FATAL_FAILURE(expect_as_the_oracle({a, b, c}));
    }
  }
}

TEST(SweepProperty, RandomListsOfBothFamilies) {
  RandomStream random(1, StreamUse::Pattern, 0);
  for (int list = 0; list < 200; ++list) {
    std::vector<IpPrefix> ranges(random.below(300));
    for (IpPrefix& each : ranges)
      each = testing::random_range(random);
    ASSERT_NO_FATAL_FAILURE(expect_as_the_oracle(ranges));
  }
}

/// Gardener calls two networks disjoint unless one contains the network address of the other.
TEST(SweepProperty, GardenersDisjointnessIsTheSame) {
  for (const auto& [text, longest] : {std::pair("10.0.0.0/26", 32), {"fd00::/122", 128}}) {
    const auto universe = testing::all_ranges(range(text), static_cast<std::uint8_t>(longest));
    ASSERT_EQ(universe.size(), 127u);
    for (const IpPrefix& a : universe) {
      for (const IpPrefix& b : universe) {
        const bool gardener = a.contains(b.network()) || b.contains(a.network());
        ASSERT_EQ(testing::overlap(a, b), gardener) << a.to_string() << " " << b.to_string();
        ASSERT_EQ(a.overlaps(b), gardener) << a.to_string() << " " << b.to_string();
      }
    }
  }
}

}  // namespace sweep_property_test

}  // namespace overlane::ranges
