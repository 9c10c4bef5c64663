#include "dataplane/adjacency/ipv6_finder.h"

#include <set>

#include <gtest/gtest.h>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/node/testing/cluster.h"
#include "sim/random/stream.h"

namespace overlane::adjacency {

namespace ipv6_finder_test {

using node::testing::net;

/// Few values, so that prefixes share their beginnings, and values that are hard for hash tables.
std::uint64_t half(RandomStream& random) {
  std::uint64_t value = 0xfd00'0010'0096'0000 + random.below(4);
  if (random.below(8) == 0) value = random.next() | 1;
  if (random.below(8) == 0) value = ~std::uint64_t{0};
  return value ^ (random.below(3) == 0 ? std::uint64_t{1} << random.below(64) : 0);
}

IpAddress address(RandomStream& random) {
  IpAddress address;
  address.high = half(random);
  address.low = random.below(2) == 0 ? random.below(20) : half(random);
  return address;
}

std::uint8_t length(RandomStream& random) {
  constexpr std::uint8_t kCommonLengths[] = {48, 63, 64, 65, 80, 96, 112, 127, 128};
  return random.below(3) == 0 ? static_cast<std::uint8_t>(random.below(129))
                              : kCommonLengths[random.below(std::size(kCommonLengths))];
}

std::vector<AddressClass> classes_of(const std::set<IpPrefix>& prefixes) {
  std::vector<AddressClass> classes;
  for (const IpPrefix& prefix : prefixes)
    classes.push_back({.prefix = prefix, .sample = prefix.network(), .route = {}});
  return classes;
}

TEST(Ipv6Finder, FindsTheLongestPrefix) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, StreamUse::Pattern, 0);
    std::set<IpPrefix> prefixes{net("::/0"),   net("0.0.0.0/0"), net("10.0.0.0/8"),
                                net("::/127"), net("fe80::/10"), net("ff00::/8")};
    const std::uint64_t count = 1 + random.below(60);
    for (std::uint64_t i = 0; i < count; ++i)
      prefixes.insert(IpPrefix::containing(address(random), length(random)));
    const auto classes = classes_of(prefixes);
    const PrefixFinder expected(classes);
    const Ipv6Finder find(classes);
    const auto check = [&](IpAddress at) {
      if (at.high == 0) return;
      ++compared;
      ASSERT_EQ(find(at.high, at.low), expected(at)) << seed << ": " << at.to_string();
      ASSERT_EQ(find.host(at.high, at.low), expected(at)) << seed << ": " << at.to_string();
    };
    for (const AddressClass& one : classes) {
      const IpAddress first = one.prefix.network();
      IpAddress before = first;
      before.high -= before.low == 0 ? 1 : 0;
      --before.low;
      IpAddress upper = first;
      ++upper.high;
      for (const IpAddress at : {first, first + 1, before, upper})
        ASSERT_NO_FATAL_FAILURE(check(at));
    }
    for (int i = 0; i < 300; ++i)
      ASSERT_NO_FATAL_FAILURE(check(address(random)));
  }
  EXPECT_GT(compared, 50'000);
}

TEST(Ipv6Finder, FindsAllPodRangesOfALargeCluster) {
  std::set<IpPrefix> prefixes{net("::/0")};
  for (std::uint32_t i = 0; i < 5'000; ++i)
    prefixes.insert(node::testing::pod_cidr_v6(i));
  const auto classes = classes_of(prefixes);
  const Ipv6Finder find(classes);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    const IpAddress pod = node::testing::pod_v6(i, i % 100);
    ASSERT_EQ(classes[find(pod.high, pod.low)].prefix, node::testing::pod_cidr_v6(i));
  }
  EXPECT_EQ(classes[find(0x20010db8'00000000, 1)].prefix, net("::/0"));
}

}  // namespace ipv6_finder_test

}  // namespace overlane::adjacency
