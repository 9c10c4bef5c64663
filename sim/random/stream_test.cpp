#include "sim/random/stream.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace overlane {
namespace stream_test {

TEST(RandomStream, SameTripleGivesTheSameNumbersAndAnyOtherGivesOthers) {
  RandomStream a(1, StreamUse::FlowStart, 7);
  RandomStream b(1, StreamUse::FlowStart, 7);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(a.next(), b.next());

  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t entity = 0; entity < 100; ++entity) {
      firsts.insert(RandomStream(seed, StreamUse::FlowStart, entity).next());
      firsts.insert(RandomStream(seed, StreamUse::PacketGap, entity).next());
    }
  }
  EXPECT_EQ(firsts.size(), 2000u);
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(42, StreamUse::Pattern, 0);
  std::array<int, 10> hits{};
  for (int i = 0; i < 100'000; ++i)
    ++hits[stream.below(10)];
  // 10,000 expected in each, standard deviation 95: five of them either way.
  for (const int count : hits)
    EXPECT_NEAR(count, 10'000, 475);
}

}  // namespace stream_test
}  // namespace overlane
