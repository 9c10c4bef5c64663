#include <set>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/forward/read_packet.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance {
namespace {

using testing::all_cases;
using testing::Arrival;
using testing::Case;

/// What the core makes of a packet, or of the bytes that really come.
forward::Outcome core_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                              const Arrival& arrival) {
  forward::Outcome outcome;
  if (arrival.bytes.empty()) {
    forward::forward(state, runtime, arrival.packet, arrival.ingress, {}, outcome);
    return outcome;
  }
  const auto packet = forward::read_packet(state, arrival.bytes);
  if (!packet) return {.drop = packet.error()};
  forward::forward(state, runtime, *packet, arrival.ingress, {}, outcome);
  return outcome;
}

forward::Outcome byte_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                              const Arrival& arrival) {
  if (arrival.bytes.empty()) {
    return reference::forward(state, runtime, arrival.packet, arrival.ingress, {});
  }
  reference::HeldPieces pieces;
  return decode(state,
                reference::forward(state, runtime, pieces, arrival.bytes, arrival.ingress, {}));
}

TEST(Conformance, TheCoreAndTheBytePathDoWhatEveryRowSays) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    ASSERT_EQ(row.arrivals.size(), row.expected.size());
    const node::NodeState state = state_of(row);
    node::NodeRuntime runtime;
    for (std::size_t i = 0; i < row.arrivals.size(); ++i) {
      const Arrival& arrival = row.arrivals[i];
      node::NodeRuntime before = runtime;
      const forward::Outcome outcome = core_outcome(state, runtime, arrival);
      EXPECT_EQ(testing::describe(outcome), row.expected[i]) << arrival.lie;
      EXPECT_EQ(reference::compare(outcome, byte_outcome(state, before, arrival)), "")
          << arrival.lie;
    }
  }
}

TEST(Conformance, TheBytePathDoesTheSameWithRealBytes) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    node::NodeRuntime core;
    node::NodeRuntime runtime;
    reference::HeldPieces pieces;
    for (const Arrival& arrival : row.arrivals) {
      const auto outcome =
          reference::forward(state, runtime, pieces, bytes_of(state, arrival), arrival.ingress, {});
      EXPECT_EQ(reference::compare(core_outcome(state, core, arrival), decode(state, outcome)), "")
          << arrival.lie;
    }
  }
}

/// Of pieces nobody can tell what is in them.
TEST(Conformance, TheCoreReadsFromTheBytesWhatEveryRowSays) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    node::NodeRuntime runtime;
    for (std::size_t i = 0; i < row.arrivals.size(); ++i) {
      Arrival arrival = row.arrivals[i];
      if (arrival.packet.outermost().is_fragment()) break;
      arrival.bytes = bytes_of(state, arrival);
      EXPECT_EQ(testing::describe(core_outcome(state, runtime, arrival)), row.expected[i])
          << arrival.lie;
    }
  }
}

TEST(Conformance, EveryRowSaysSomethingElse) {
  std::set<std::string> sentences;
  for (const Case& row : all_cases())
    EXPECT_TRUE(sentences.insert(row.sentence).second) << row.sentence;
  EXPECT_GE(sentences.size(), 150u);
}

}  // namespace
}  // namespace overlane::conformance
