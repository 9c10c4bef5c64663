#include "topologies/ranges/pod_cidrs.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "topologies/ranges/testing/oracle.h"

namespace overlane::ranges {
namespace pod_cidrs_test {

IpPrefix range(const char* text) {
  return IpPrefix::parse(text).value();
}

using PodCidrs = std::vector<std::uint64_t>;

/// The pod CIDRs of a cluster that has created so many nodes and deleted none.
PodCidrs first(std::uint64_t nodes) {
  PodCidrs pod_cidrs(nodes);
  std::iota(pod_cidrs.begin(), pod_cidrs.end(), 0);
  return pod_cidrs;
}

struct Cluster {
  const char* range;
  std::uint8_t mask;
  PodCidrs used;
  std::uint64_t next;
};

struct Case {
  const char* what;
  Cluster a;
  Cluster b;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> creations;
};

PodCidrAllocation allocation(const Cluster& cluster) {
  return {range(cluster.range), cluster.mask, cluster.used, cluster.next};
}

TEST(UntilConflict, CountsNodesOfBoth) {
  const std::vector<Case> cases = {
      {"the default range, a node each",
       {"100.64.0.0/11", 24, first(1), 1},
       {"100.64.0.0/11", 24, first(1), 1},
       0,
       0},
      // Pod CIDRs 3…127 are 125 nodes, and the next one gets pod CIDR 128, where B's first node is.
      {"nested", {"10.0.0.0/16", 24, first(3), 3}, {"10.0.128.0/17", 24, first(3), 3}, 126, 126},
      {"the same the other way round",
       {"10.0.128.0/17", 24, first(3), 3},
       {"10.0.0.0/16", 24, first(3), 3},
       126,
       126},
      {"replaced nodes moved A on",
       {"10.0.0.0/16", 24, first(3), 120},
       {"10.0.128.0/17", 24, first(3), 3},
       126,
       9},
      {"A is past B's nodes, so B goes where A will be",
       {"10.0.0.0/16", 24, first(3), 140},
       {"10.0.128.0/17", 24, first(3), 3},
       126,
       11},
      {"both stand before the same pod CIDR",
       {"10.0.0.0/16", 24, first(3), 131},
       {"10.0.128.0/17", 24, first(3), 3},
       126,
       2},
      {"one of them has no nodes",
       {"10.0.0.0/16", 24, {}, 0},
       {"10.0.0.0/16", 24, first(1), 1},
       1,
       1},
      {"none has", {"10.0.0.0/16", 24, {}, 0}, {"10.0.0.0/16", 24, {}, 0}, 2, 2},
      {"both must move", {"10.0.0.0/16", 24, {100}, 101}, {"10.0.0.0/16", 24, {200}, 201}, 2, 2},
      {"a pod CIDR in the other",
       {"10.0.0.0/16", 24, first(2), 2},
       {"10.0.0.0/16", 25, {4}, 5},
       1,
       1},
      {"half of a pod CIDR", {"10.0.0.0/16", 24, {1}, 2}, {"10.0.0.0/16", 25, {1}, 2}, 1, 1},
      {"full but for one", {"10.0.0.0/30", 32, {0, 1, 2}, 3}, {"10.0.0.3/32", 32, {}, 0}, 2, 2},
      {"a range in a pod CIDR", {"10.0.0.0/16", 24, {7}, 8}, {"10.0.7.128/25", 26, {}, 0}, 1, 1},
      {"2^48 pod CIDRs",
       {"fd00::/16", 64, first(3), 3},
       {"fd00:8000::/17", 64, first(1), 1},
       (1ull << 47) - 2,
       (1ull << 47) - 2},
      {"disjoint", {"10.0.0.0/16", 24, first(1), 1}, {"10.1.0.0/16", 24, first(1), 1}, {}, {}},
      {"no pod CIDRs", {"10.0.0.0/25", 24, {}, 0}, {"10.0.0.0/16", 24, first(1), 1}, {}, {}},
  };
  for (const Case& each : cases) {
    const UntilConflict found = until_conflict(allocation(each.a), allocation(each.b));
    EXPECT_EQ(found.nodes, each.nodes) << each.what;
    EXPECT_EQ(found.creations, each.creations) << each.what;
  }
}

TEST(UntilConflict, IsWhatCreatingNodesFinds) {
  RandomStream random(1, StreamUse::Pattern, 0);
  int meetings = 0;
  for (const auto& [text, most] : {std::pair("10.0.0.0/28", 32), {"fd00::/124", 128}}) {
    const auto longest = static_cast<std::uint8_t>(most);
    const std::vector<IpPrefix> ranges = testing::all_ranges(range(text), longest);
    const auto cluster = [&] {
      PodCidrAllocation made{ranges[random.below(7)]};
      made.mask = static_cast<std::uint8_t>(longest - random.below(3));
      const std::uint64_t count = pod_cidr_count(made.range, made.mask);
      const std::uint64_t share = 1 + random.below(6);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (random.below(6) >= share) made.used.push_back(i);
      }
      if (count > 0) made.next = random.below(count);
      return made;
    };
    for (int i = 0; i < 5000; ++i) {
      const PodCidrAllocation a = cluster();
      const PodCidrAllocation b = cluster();
      const UntilConflict expected = testing::slowly_until_conflict(a, b);
      const UntilConflict found = until_conflict(a, b);
      ASSERT_EQ(found.nodes, expected.nodes) << a.range.to_string() << " " << b.range.to_string();
      ASSERT_EQ(found.creations, expected.creations);
      ASSERT_LE(found.creations, found.nodes);
      meetings += found.creations > 0 && found.creations < found.nodes ? 1 : 0;
    }
  }
  EXPECT_GT(meetings, 500);
}

TEST(PodCidrIndex, CountsFromTheStartOfTheRange) {
  const IpPrefix pods = range("100.64.0.0/11");
  EXPECT_EQ(pod_cidr_count(pods, 24), 8192u);
  EXPECT_EQ(pod_cidr_count(pods, 11), 1u);
  EXPECT_EQ(pod_cidr_count(pods, 10), 0u);
  EXPECT_EQ(pod_cidr_count(pods, 33), 0u);
  EXPECT_EQ(pod_cidr_count(range("::/0"), 64), 0u);
  EXPECT_EQ(pod_cidr_count(range("::/0"), 0), 0u);
  const auto index = [&](const char* address) {
    return pod_cidr_index(pods, 24, IpAddress::parse(address).value());
  };
  EXPECT_EQ(index("100.64.0.0"), 0u);
  EXPECT_EQ(index("100.95.255.255"), 8191u);
  EXPECT_EQ(index("100.96.0.0"), std::nullopt);
  EXPECT_EQ(index("fd00::"), std::nullopt);
  EXPECT_EQ(pod_cidr_index(range("fd00::/48"), 64, IpAddress::parse("fd00:0:0:ff::1").value()),
            255u);
}

}  // namespace pod_cidrs_test
}  // namespace overlane::ranges
