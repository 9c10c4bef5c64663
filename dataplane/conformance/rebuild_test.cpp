#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/conformance/testing/rebuilt.h"

namespace overlane::conformance {
namespace {

using testing::Arrival;
using testing::BothPaths;
using testing::Case;

TEST(Conformance, TheFullPathSendsTheBytesThatTheBytePathSends) {
  for (const Case& row : testing::all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    BothPaths both;
    Picos now;
    for (const Arrival& arrival : row.arrivals) {
      SCOPED_TRACE(arrival.lie);
      now += arrival.silence.value_or(Picos{});
      if (arrival.silence) {
        both.time_out(state, now);
      } else {
        both.arrive(state, bytes_of(state, arrival), arrival.ingress, now);
      }
    }
  }
}

}  // namespace
}  // namespace overlane::conformance
