#include <gtest/gtest.h>

#include "dataplane/conformance/testing/random_traffic.h"

namespace overlane::conformance {
namespace byte_rewrite_random_test {

using testing::BothPaths;
using testing::Seen;
using testing::Way;

BothPaths node(Way way, reference::testing::RandomWorld& world) {
  BothPaths made(way);
  // Adjacencies leave connections without effect out of the table, which is full later then.
  if (way == Way::Full && world.one_in(3)) {
    made.runtime().connections = node::ConntrackTable(3);
    made.reference_runtime().connections = node::ConntrackTable(3);
  }
  return made;
}

Seen seen_in_worlds(Way way) {
  Seen seen;
  const auto make = [way](reference::testing::RandomWorld& world) { return node(way, world); };
  for (std::uint64_t seed = 1; seed <= 120 && !::testing::Test::HasFailure(); ++seed)
    testing::RandomTraffic<BothPaths>(seed, make, seen).run(50);
  testing::expect_all_seen(seen, 20);
  return seen;
}

TEST(Rebuild, SendsTheBytesThatTheBytePathSends) {
  seen_in_worlds(Way::Full);
}

TEST(Adjacency, BeforeTheFullPathChangesNothing) {
  EXPECT_GT(seen_in_worlds(Way::AdjacenciesFirst)["ahead"], 300);
}

TEST(Adjacency, ChangesNothingAboutWhatPodsSendInBothFamilies) {
  Seen seen;
  const auto make = [](reference::testing::RandomWorld& world) {
    return node(Way::AdjacenciesFirst, world);
  };
  for (std::uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed)
    testing::RandomTraffic<BothPaths>(seed, make, seen).run_usual(60);
  for (const char* what :
       {"ahead ipv4", "ahead ipv4 into ipv4", "ahead ipv4 into ipv6", "ahead ipv4 out of ipv4",
        "ahead ipv6", "ahead ipv6 into ipv4", "ahead ipv6 into ipv6", "ahead ipv6 out of ipv4",
        "ahead ipv6 out of ipv6", "ahead to a pod as a neighbour", "changed and ahead"}) {
    EXPECT_GT(seen[what], 20) << what;
  }
}

}  // namespace byte_rewrite_random_test
}  // namespace overlane::conformance
