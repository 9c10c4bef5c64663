#include "dataplane/fib/prefix_table.h"

#include <map>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::fib {
namespace prefix_table_test {

IpPrefix net(const char* text) {
  return IpPrefix::parse(text).value();
}

/// Longest match by looking at every entry.
const int* linear_match(const std::map<IpPrefix, int>& entries, IpAddress address) {
  const int* best = nullptr;
  int best_length = -1;
  for (const auto& [prefix, value] : entries) {
    if (!prefix.contains(address) || prefix.length() <= best_length) continue;
    best = &value;
    best_length = prefix.length();
  }
  return best;
}

TEST(PrefixTable, FindsTheLongestPrefixThatHoldsAnAddress) {
  PrefixTable<int> table;
  EXPECT_TRUE(table.set(net("0.0.0.0/0"), 1));
  EXPECT_TRUE(table.set(net("100.96.0.0/11"), 2));
  EXPECT_TRUE(table.set(net("100.96.1.0/24"), 3));
  EXPECT_TRUE(table.set(net("100.96.1.7/32"), 4));
  EXPECT_EQ(table.longest_match(IpAddress::parse("100.96.1.7").value())->second, 4);
  EXPECT_EQ(table.longest_match(IpAddress::parse("100.96.1.8").value())->second, 3);
  EXPECT_EQ(table.longest_match(IpAddress::parse("100.97.0.1").value())->second, 2);
  EXPECT_EQ(table.longest_match(IpAddress::parse("10.0.0.1").value())->second, 1);
  EXPECT_FALSE(table.set(net("0.0.0.0/0"), 9)) << "replaced, not added";
  EXPECT_TRUE(table.erase(net("0.0.0.0/0")));
  EXPECT_FALSE(table.erase(net("0.0.0.0/0")));
  EXPECT_EQ(table.longest_match(IpAddress::parse("10.0.0.1").value()), nullptr);
}

TEST(PrefixTable, AgreesWithALinearScanWhileItChanges) {
  RandomStream random(1, StreamUse::Pattern, 12);
  // Few networks and many lengths, so that prefixes nest.
  const auto address = [&] {
    const IpAddress base = random.below(2) == 0 ? IpAddress::parse("100.96.0.0").value()
                                                : IpAddress::parse("fd00:10:96::").value();
    return base + (random.next() & 0x0f0f);
  };
  PrefixTable<int> table;
  std::map<IpPrefix, int> oracle;
  for (int i = 0; i < 20'000; ++i) {
    const IpAddress network = address();
    const auto length = static_cast<std::uint8_t>(random.below(network.is_ipv4() ? 33 : 129));
    const IpPrefix prefix = IpPrefix::containing(network, length);
    if (random.below(2) == 0) {
      EXPECT_EQ(table.set(prefix, i), !oracle.contains(prefix));
      oracle[prefix] = i;
    } else {
      EXPECT_EQ(table.erase(prefix), oracle.erase(prefix) == 1);
    }
    const IpAddress probe = address();
    const auto* found = table.longest_match(probe);
    const int* expected = linear_match(oracle, probe);
    ASSERT_EQ(found == nullptr, expected == nullptr);
    if (found != nullptr) {
      ASSERT_EQ(found->second, *expected);
    }
    ASSERT_EQ(table.size(), oracle.size());
  }
}

TEST(PrefixTable, IsEqualWhateverTheOrderOfItsChanges) {
  PrefixTable<int> a;
  PrefixTable<int> b;
  a.set(net("10.0.0.0/8"), 1);
  a.set(net("10.1.0.0/16"), 2);
  b.set(net("10.1.0.0/16"), 2);
  b.set(net("10.2.0.0/16"), 3);
  b.set(net("10.0.0.0/8"), 1);
  EXPECT_NE(a, b);
  b.erase(net("10.2.0.0/16"));
  EXPECT_EQ(a, b);
}

}  // namespace prefix_table_test
}  // namespace overlane::fib
