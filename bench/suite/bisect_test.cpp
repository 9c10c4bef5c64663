#include "bench/suite/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::suite {
namespace bisect_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Bisect, FindsEveryFirstCommitInFewProbes) {
  for (std::size_t count = 1; count <= 40; ++count) {
    for (std::size_t first = 0; first < count; ++first) {
      std::size_t probes = 0;
      const auto found = bisect(count, [&](std::size_t i) -> std::optional<CommitState> {
        ++probes;
        return i >= first ? CommitState::With : CommitState::Without;
      });
      ASSERT_TRUE(found);
      EXPECT_EQ(found->first_with, first) << "of " << count;
      EXPECT_THAT(found->suspects, IsEmpty());
      EXPECT_LE(std::size_t{1} << probes, 2 * count) << probes << " probes of " << count;
    }
  }
}

TEST(Bisect, CommitsThatCannotBeBuiltAreSteppedAround) {
  const auto probe = [](std::size_t i) -> std::optional<CommitState> {
    if (i == 4 || i == 5) return CommitState::Unknown;
    return i >= 7 ? CommitState::With : CommitState::Without;
  };
  const auto found = bisect(10, probe);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first_with, 7u);
  EXPECT_THAT(found->suspects, IsEmpty());
}

TEST(Bisect, ThoseRightBeforeTheFirstAreSuspects) {
  const auto probe = [](std::size_t i) -> std::optional<CommitState> {
    if (i == 5 || i == 6) return CommitState::Unknown;
    return i >= 7 ? CommitState::With : CommitState::Without;
  };
  const auto found = bisect(10, probe);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first_with, 7u);
  EXPECT_THAT(found->suspects, ElementsAre(5, 6));
}

TEST(Bisect, IsStopped) {
  EXPECT_FALSE(bisect(10, [](std::size_t) { return std::optional<CommitState>(); }));
}

}  // namespace bisect_test
}  // namespace overlane::suite
