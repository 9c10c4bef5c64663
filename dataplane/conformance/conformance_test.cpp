#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance {
namespace conformance_test {

using testing::all_cases;
using testing::Arrival;
using testing::Case;

/// From the descriptor, or from the bytes that really come.
forward::Outcome of_byte_path(const node::NodeState& state, node::NodeRuntime& runtime,
                              reference::HeldFragments& fragments, const Arrival& arrival,
                              Picos now) {
  if (!arrival.bytes.empty()) {
    return decode(state, byte_outcome(state, runtime, fragments, arrival, now));
  }
  forward::Outcome outcome;
  if (arrival.silence) {
    for (const auto& lost : runtime.reassembly.expire(now)) {
      std::ranges::move(reference::time_out(state, runtime, lost, now).emissions,
                        std::back_inserter(outcome.emissions));
    }
    return outcome;
  }
  return reference::forward(state, runtime, arrival.packet, arrival.ingress, now);
}

TEST(Conformance, TheCoreAndTheBytePathDoWhatEveryRowSays) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    ASSERT_EQ(row.arrivals.size(), row.expected.size());
    const node::NodeState state = state_of(row);
    node::NodeRuntime runtime;
    reference::HeldFragments fragments;
    Picos now;
    for (std::size_t i = 0; i < row.arrivals.size(); ++i) {
      const Arrival& arrival = row.arrivals[i];
      now += arrival.silence.value_or(Picos{});
      node::NodeRuntime before = runtime;
      const forward::Outcome outcome = core_outcome(state, runtime, arrival, now);
      EXPECT_EQ(testing::describe(outcome), row.expected[i]) << arrival.lie;
      EXPECT_EQ(reference::compare(outcome, of_byte_path(state, before, fragments, arrival, now)),
                "")
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
    reference::HeldFragments fragments;
    Picos now;
    for (const Arrival& arrival : row.arrivals) {
      now += arrival.silence.value_or(Picos{});
      const auto outcome = byte_outcome(state, runtime, fragments, arrival, now);
      EXPECT_EQ(reference::compare(core_outcome(state, core, arrival, now), decode(state, outcome)),
                "")
          << arrival.lie;
    }
  }
}

/// Fragments do not show what is in them.
TEST(Conformance, TheCoreReadsFromTheBytesWhatEveryRowSays) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    const node::NodeState state = state_of(row);
    node::NodeRuntime runtime;
    for (std::size_t i = 0; i < row.arrivals.size(); ++i) {
      Arrival arrival = row.arrivals[i];
      if (arrival.packet.outermost().is_fragment() || arrival.silence) break;
      arrival.bytes = bytes_of(state, arrival);
      EXPECT_EQ(testing::describe(core_outcome(state, runtime, arrival, {})), row.expected[i])
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

}  // namespace conformance_test
}  // namespace overlane::conformance
