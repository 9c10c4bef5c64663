#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/conformance/testing/rebuilt.h"

namespace overlane::conformance {
namespace byte_rewrite_test {

using testing::Arrival;
using testing::BothPaths;
using testing::Case;
using testing::Way;

/// How many packets an adjacency took.
int run_all_rows(Way way) {
  int ahead = 0;
  for (const Case& row : testing::all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    BothPaths both(way);
    Picos now;
    for (const Arrival& arrival : row.arrivals) {
      SCOPED_TRACE(arrival.lie);
      now += arrival.silence.value_or(Picos{});
      if (arrival.silence) {
        both.time_out(state, now);
      } else {
        ahead += both.arrive(state, bytes_of(state, arrival), arrival.ingress, now).ahead;
      }
    }
  }
  return ahead;
}

TEST(Conformance, TheFullPathSendsTheBytesThatTheBytePathSends) {
  EXPECT_EQ(run_all_rows(Way::Full), 0);
}

TEST(Conformance, AdjacenciesBeforeTheFullPathChangeNothing) {
  EXPECT_GT(run_all_rows(Way::AdjacenciesFirst), 50);
}

}  // namespace byte_rewrite_test
}  // namespace overlane::conformance
