#include <gtest/gtest.h>

#include "sim/run/testing/random_run.h"

namespace overlane::run {
namespace kept_decisions_test {

using namespace testing;

class KeptDecisions : public ::testing::TestWithParam<int> {};

TEST_P(KeptDecisions, ChangeNoResult) {
  RandomRun run(static_cast<std::uint64_t>(GetParam()));
  const Measurement kept = run.measure();
  run.options().keep_decisions = false;
  const Measurement anew = run.measure();
  EXPECT_EQ(text_of(kept), text_of(anew));
  EXPECT_EQ(kept.engine.packet_hops, anew.engine.packet_hops);
  EXPECT_GT(kept.traffic[0].packets.delivered, 0);
}

/// With an observer, even of no flow, a NIC asks the fabric when a packet has left.
TEST_P(KeptDecisions, AskedForAheadChangeNoResult) {
  RandomRun run(static_cast<std::uint64_t>(GetParam()));
  run.options().changes.clear();
  const Measurement ahead = run.measure();
  const TraceOptions of_no_flow{.follows = [](auto, auto) { return false; },
                                .see = [](const TraceEvent&) {}};
  run.options().trace = &of_no_flow;
  const Measurement at_departure = run.measure();
  EXPECT_EQ(text_of(ahead), text_of(at_departure));
  EXPECT_EQ(ahead.byte_path.checked, at_departure.byte_path.checked);
  EXPECT_LT(ahead.engine.events, at_departure.engine.events);
}

INSTANTIATE_TEST_SUITE_P(Run, KeptDecisions, ::testing::Range(0, 12));

}  // namespace kept_decisions_test
}  // namespace overlane::run
