#include <gtest/gtest.h>

#include "topologies/path/testing/walked_pairs.h"

namespace overlane::path {
namespace reachability_slow_test {

TEST(Reachability, EqualsAllPairsWalkedAfterManyRandomChanges) {
  const testing::Followed followed = testing::follow_random_changes(100, 40, 20);
  EXPECT_GT(followed.changes, 4 * followed.updates);
}

}  // namespace reachability_slow_test
}  // namespace overlane::path
