#include <gtest/gtest.h>

#include "dataplane/conformance/dpdk/testing/ports_node.h"
#include "dataplane/conformance/testing/case.h"
#include "dataplane/conformance/testing/random_traffic.h"

namespace overlane::conformance {
namespace ports_dpdk_test {

using testing::Arrival;
using testing::Case;
using testing::Generations;
using testing::PortsNode;
using testing::Seen;

TEST(ConformanceOnDpdk, PortsSendTheBytesThatTheBytePathSends) {
  testing::start_dpdk();
  Generations generations;
  int ahead = 0;
  for (const Case& row : testing::all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    PortsNode node(generations);
    Picos now;
    for (const Arrival& arrival : row.arrivals) {
      SCOPED_TRACE(arrival.lie);
      now += arrival.silence.value_or(Picos{});
      if (arrival.silence) {
        node.pass_time(state, now);
      } else {
        ahead += node.arrive(state, bytes_of(state, arrival), arrival.ingress, now).ahead;
      }
    }
  }
  EXPECT_GT(ahead, 50);
}

TEST(ConformanceOnDpdk, StatesThatChangeBetweenPacketsAreTakenOverWholeAtOnce) {
  testing::start_dpdk();
  Seen seen;
  Generations generations;
  const auto make = [&](reference::testing::RandomWorld&) { return PortsNode(generations); };
  for (std::uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed)
    testing::RandomTraffic<PortsNode>(seed, make, seen).run(50);
  testing::expect_all_seen(seen, 3);
  EXPECT_GT(seen["state changes"], 20);
  EXPECT_GT(seen["ahead"], 50);
}

}  // namespace ports_dpdk_test
}  // namespace overlane::conformance
