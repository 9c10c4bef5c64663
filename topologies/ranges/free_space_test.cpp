#include "topologies/ranges/free_space.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "topologies/ranges/testing/oracle.h"

namespace overlane::ranges {
namespace free_space_test {

std::vector<IpPrefix> ranges(const std::vector<std::string>& texts) {
  std::vector<IpPrefix> result;
  for (const std::string& text : texts)
    result.push_back(IpPrefix::parse(text).value());
  return result;
}

struct Case {
  const char* what;
  std::vector<std::string> pools;
  std::vector<std::string> blocked;
  std::uint8_t length;
  std::size_t count;
  std::vector<std::string> expected;
};

TEST(FreeRanges, AreTheLowestOfThePools) {
  const std::vector<Case> cases = {
      {"nothing blocked", {"10.0.0.0/8"}, {}, 10, 2, {"10.0.0.0/10", "10.64.0.0/10"}},
      {"as many as there are", {"10.0.0.0/8"}, {}, 9, 9, {"10.0.0.0/9", "10.128.0.0/9"}},
      {"none asked for", {"10.0.0.0/8"}, {}, 9, 0, {}},
      {"a smaller one blocks", {"10.0.0.0/8"}, {"10.0.0.1/32"}, 9, 9, {"10.128.0.0/9"}},
      {"a larger one blocks", {"10.0.0.0/8", "11.0.0.0/8"}, {"10.0.0.0/7"}, 9, 9, {}},
      {"the pool is too small", {"10.0.0.0/16"}, {}, 15, 9, {}},
      {"all of the pool", {"10.0.0.0/16"}, {}, 16, 9, {"10.0.0.0/16"}},
      {"pools in their order",
       {"11.0.0.0/8", "10.0.0.0/8"},
       {},
       8,
       9,
       {"11.0.0.0/8", "10.0.0.0/8"}},
      {"the same pool again", {"10.0.0.0/8", "10.0.0.0/8"}, {}, 8, 9, {"10.0.0.0/8"}},
      {"a pool in the other",
       {"10.0.1.0/24", "10.0.0.0/23"},
       {},
       24,
       9,
       {"10.0.1.0/24", "10.0.0.0/24"}},
      {"the end of IPv4",
       {"255.255.255.254/31"},
       {"255.255.255.254/32"},
       32,
       9,
       {"255.255.255.255/32"}},
      {"each family has its lengths",
       {"10.0.0.0/8", "fd00::/62"},
       {"fd00::/64"},
       64,
       1,
       {"fd00:0:0:1::/64"}},
      {"the end of IPv6", {"ffff::/16"}, {"ffff::/17"}, 17, 9, {"ffff:8000::/17"}},
      {"all of IPv6", {"::/0"}, {"::/1"}, 1, 9, {"8000::/1"}},
      {"none is IPv4-mapped",
       {"::fffc:0:0/94"},
       {},
       96,
       9,
       {"::fffc:0:0/96", "::fffd:0:0/96", "::fffe:0:0/96"}},
      {"no step for each free pod CIDR",
       {"fd00::/8"},
       {"fd00::/9", "fd80::/10"},
       64,
       1,
       {"fdc0::/64"}},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(free_ranges(ranges(each.pools), ranges(each.blocked), each.length, each.count),
              ranges(each.expected))
        << each.what;
  }
}

/// One candidate after the other.
std::vector<IpPrefix> slowly(const std::vector<IpPrefix>& pools,
                             const std::vector<IpPrefix>& blocked, std::uint8_t length,
                             std::size_t count) {
  std::vector<IpPrefix> found;
  for (const IpPrefix& pool : pools) {
    for (const IpPrefix& candidate : testing::all_ranges(pool, length)) {
      const auto meets = [&](const IpPrefix& other) { return testing::overlap(candidate, other); };
      if (candidate.length() == length && found.size() < count &&
          std::none_of(blocked.begin(), blocked.end(), meets) &&
          std::none_of(found.begin(), found.end(), meets)) {
        found.push_back(candidate);
      }
    }
  }
  return found;
}

TEST(FreeRanges, AreAsTheOracleSaysAndStable) {
  RandomStream random(1, StreamUse::Pattern, 0);
  std::size_t answers = 0;
  for (const auto& [text, most] : {std::pair("10.0.0.0/26", 32), {"fd00::/122", 128}}) {
    const auto longest = static_cast<std::uint8_t>(most);
    const auto universe = testing::all_ranges(IpPrefix::parse(text).value(), longest);
    const auto some = [&](std::size_t least, std::size_t end) {
      std::vector<IpPrefix> result(random.below(end));
      // Large ranges leave nothing over.
      for (IpPrefix& each : result)
        each = universe[least + random.below(universe.size() - least)];
      return result;
    };
    for (int i = 0; i < 5000; ++i) {
      const auto pools = some(0, 4);
      auto blocked = some(7, 12);
      const auto length = static_cast<std::uint8_t>(longest - random.below(6));
      const std::size_t count = 1 + random.below(20);
      const auto found = free_ranges(pools, blocked, length, count);
      ASSERT_EQ(found, slowly(pools, blocked, length, count));
      if (found.empty()) continue;
      ++answers;
      blocked.push_back(found.front());
      const auto later = free_ranges(pools, blocked, length, count - 1);
      ASSERT_EQ(later, std::vector(found.begin() + 1, found.end()));
    }
  }
  EXPECT_GT(answers, 2000u);
}

TEST(FreeRanges, SkipBlockedAndKnownRanges) {
  std::vector<IpPrefix> blocked;
  for (std::uint32_t i = 0; i < 1u << 16; ++i)
    blocked.push_back(IpPrefix::containing(Ipv4Address{0x0a000000 + (i << 8)}, 24));
  blocked.erase(blocked.begin() + 50'000);
  EXPECT_EQ(free_ranges(ranges({"10.0.0.0/8"}), blocked, 24, 2), ranges({"10.195.80.0/24"}));
  EXPECT_EQ(free_ranges(ranges({"8.0.0.0/6", "fd00::/8"}), blocked, 8, 9),
            ranges({"8.0.0.0/8", "9.0.0.0/8", "11.0.0.0/8", "fd00::/8"}));
}

}  // namespace free_space_test
}  // namespace overlane::ranges
