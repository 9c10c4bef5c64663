#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "dataplane/node/text/state_diff.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::reference {
namespace random_state_diff_test {

using Lines = std::map<std::string, int>;  ///< How often each line is there.

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    ++lines[line];
  return lines;
}

/// The lines of `text` with those of `diff` taken out and put in.
Lines patched(const std::string& text, const std::string& diff) {
  Lines lines = lines_of(text);
  for (const auto& [line, count] : lines_of(diff)) {
    const std::string content = line.substr(2);
    lines[content] += line[0] == '+' ? count : -count;
    if (lines[content] == 0) lines.erase(content);
  }
  return lines;
}

template <typename State>
void expect_diff_tells_all(const State& before, const State& after, std::uint64_t seed) {
  const std::string changes = node::diff(before, after);
  EXPECT_EQ(patched(to_string(before), changes), lines_of(to_string(after))) << seed << changes;
  EXPECT_EQ(changes.empty(), lines_of(to_string(before)) == lines_of(to_string(after))) << seed;
  EXPECT_EQ(node::diff(before, before), "") << seed;
  if (before == after) {
    EXPECT_EQ(changes, "") << seed;
  }
}

constexpr std::uint64_t kWorlds = 200;

TEST(RandomStateDiff, TurnsOneTextIntoTheOther) {
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    testing::RandomWorld world(seed);
    const auto one = world.cluster();
    const auto other = world.cluster();
    expect_diff_tells_all(one.nodes[0], other.nodes[0], seed);
    expect_diff_tells_all(one.nodes[0], one.nodes[1], seed);
    expect_diff_tells_all(one.fabric, other.fabric, seed);
  }
}

TEST(RandomStateDiff, TellsEveryChangeToAStateThatSharesItsTable) {
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    testing::RandomWorld world(seed);
    const auto before = world.cluster();
    auto after = before;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      for (std::uint64_t n = world.below(5); n > 0; --n)
        world.tamper(after.nodes[i]);
      expect_diff_tells_all(before.nodes[i], after.nodes[i], seed);
    }
    world.tamper(after.fabric);
    expect_diff_tells_all(before.fabric, after.fabric, seed);
  }
}

}  // namespace random_state_diff_test
}  // namespace overlane::reference
