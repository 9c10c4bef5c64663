#include "dataplane/node/runtime/fabric_runtime.h"

#include <map>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::node {

namespace fabric_runtime_test {

constexpr ReassemblyKey kKey{Ipv4Address{1}, Ipv4Address{2}, 3, 17};

TEST(FragmentOrder, TakesFragmentsInOrderOnly) {
  struct Row {
    const char* what;
    std::vector<FragmentRange> before;
    FragmentRange fragment;
    bool in_order;
  };
  const FragmentRange first{0, 800};
  const FragmentRange second{800, 1600};
  const FragmentRange last{1600, 1700, true};
  const Row rows[] = {
      {"the first", {}, first, true},
      {"the second after the first", {first}, second, true},
      {"the last after all others", {first, second}, last, true},
      {"the second before the first", {}, second, false},
      {"the last, the second is missing", {first}, last, false},
      {"the second again", {first, second}, second, false},
      {"something after the end", {first, second, last}, {1700, 1800}, false},
      {"another packet of the same identification", {first, second, last}, first, true},
      {"in order after one that was not", {first, last}, second, true},
  };
  for (const Row& row : rows) {
    FragmentOrder order;
    for (const FragmentRange& range : row.before)
      order.in_order(kKey, range, {});
    EXPECT_EQ(order.in_order(kKey, row.fragment, {}), row.in_order) << row.what;
  }
  FragmentOrder order;
  order.in_order(kKey, first, {});
  ReassemblyKey other = kKey;
  other.identification = 4;
  EXPECT_FALSE(order.in_order(other, second, {})) << "of another packet";
  EXPECT_FALSE(order.in_order(kKey, second, reassembly_timeout(Family::Ipv4))) << "too late";
}

TEST(ExpectedAnswers, AreExpectedForAWhile) {
  const FlowKey answer{Ipv4Address{1}, Ipv4Address{2}, 443, 40'000, 6};
  ExpectedAnswers answers;
  EXPECT_FALSE(answers.expects(answer, {}));
  answers.expect(answer, {});
  EXPECT_TRUE(answers.expects(answer, kAnswerTimeout - picoseconds(1)));
  EXPECT_FALSE(answers.expects(answer, kAnswerTimeout));
  answers.expect(answer, seconds(300));
  EXPECT_TRUE(answers.expects(answer, kAnswerTimeout)) << "each packet renews it";
}

TEST(ExpiringMap, ForgetsWhatExpiresFirstWhenFull) {
  ExpiringMap<int, int, 3> map;
  map.set(1, 10, {}, seconds(9));
  map.set(2, 20, {}, seconds(2));
  map.set(3, 30, {}, seconds(5));
  map.set(4, 40, seconds(1), seconds(9));
  EXPECT_EQ(map.size(), 3u);
  EXPECT_EQ(map.find(2, seconds(1)), nullptr);
  map.set(3, 31, seconds(1), seconds(9));
  EXPECT_EQ(map.size(), 3u) << "a new value for a key takes no more room";
  EXPECT_EQ(*map.find(3, seconds(9)), 31);
  map.set(5, 50, seconds(10), seconds(9));
  EXPECT_EQ(map.size(), 1u) << "what expired goes with the next";
}

TEST(ExpiringMap, AgreesWithAMapThatIsScanned) {
  RandomStream random(1, StreamUse::Pattern, 31);
  ExpiringMap<std::uint64_t, std::uint64_t, 100> map;
  std::map<std::uint64_t, std::pair<std::uint64_t, Picos>> oracle;
  Picos now;
  int found = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += milliseconds(static_cast<std::int64_t>(random.below(1'000)));
    const std::uint64_t key = random.below(64);
    std::erase_if(oracle, [=](const auto& entry) { return entry.second.second <= now; });
    const auto at = oracle.find(key);
    const std::uint64_t* value = map.find(key, now);
    ASSERT_EQ(value != nullptr, at != oracle.end());
    if (value != nullptr) {
      ++found;
      EXPECT_EQ(*value, at->second.first);
    }
    if (random.below(4) == 0) {
      map.erase(key);
      oracle.erase(key);
    } else {
      const Picos life = seconds(static_cast<std::int64_t>(1 + random.below(20)));
      map.set(key, random.below(9), now, life);
      oracle[key] = {*map.find(key, now), now + life};
    }
  }
  EXPECT_GT(found, 1'000);
}

}  // namespace fabric_runtime_test

}  // namespace overlane::node
