#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "topologies/ranges/sweep.h"
#include "topologies/ranges/testing/oracle.h"

namespace overlane::ranges {
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

/// As sort() promises, comparing addresses.
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
