#include <set>

#include <gtest/gtest.h>

#include "tools/fuzzing/mutate.h"

namespace overlane::fuzzing {
namespace fuzzing_test {

TEST(Seeds, AreLinesOfHexadecimalBytes) {
  const auto seeds = parse_seeds("# two seeds\n\nempty:\nlong one: 45 00\n  fF 7\n");
  EXPECT_FALSE(seeds) << "a byte has two digits";
  EXPECT_EQ(parse_seeds("# two seeds\n\nempty:\nlong one: 45 00\n  fF").value(),
            (std::vector<Seed>{{"empty", {}}, {"long one", {0x45, 0, 0xff}}}));
}

TEST(Seeds, ErrorsHaveALocation) {
  EXPECT_EQ(parse_seeds("").error(), "no seeds");
  EXPECT_EQ(parse_seeds("a: 00\n45 00\n").error(), "line 2: no name");
  for (const char* text : {" 45", "a: 4", "a: 456", "a: g0", "a: 0x45"})
    EXPECT_EQ(parse_seeds(text).error(), "line 1: not \"name: 45 00 …\"") << text;
}

TEST(Mutate, IsDeterministic) {
  const std::vector<Seed> seeds{{"a", Bytes(40, 1)}, {"b", {2, 3}}, {"empty", {}}};
  RandomStream random(1, StreamUse::Pattern, 0);
  RandomStream again(1, StreamUse::Pattern, 0);
  std::set<Bytes> inputs;
  for (int i = 0; i < 2000; ++i) {
    const Bytes input = mutate(seeds, random);
    EXPECT_EQ(input, mutate(seeds, again));
    EXPECT_LE(input.size(), kMaxInputBytes);
    inputs.insert(input);
  }
  EXPECT_GT(inputs.size(), 1000u);
}

TEST(Mutate, StopsGrowingAtTheLimit) {
  const std::vector<Seed> seeds{{"long", Bytes(kMaxInputBytes, 1)}};
  RandomStream random(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 2000; ++i)
    EXPECT_LE(mutate(seeds, random).size(), kMaxInputBytes);
}

}  // namespace fuzzing_test
}  // namespace overlane::fuzzing
