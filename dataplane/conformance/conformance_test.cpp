#include <set>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance {
namespace {

using testing::all_cases;
using testing::Case;

TEST(Conformance, TheCoreAndTheBytePathDoWhatEveryRowSays) {
  for (const Case& row : all_cases()) {
    SCOPED_TRACE(row.sentence);
    ASSERT_EQ(row.arrivals.size(), row.expected.size());
    const node::NodeState state = state_of(row);
    node::NodeRuntime runtime;
    for (std::size_t i = 0; i < row.arrivals.size(); ++i) {
      const auto& [ingress, packet] = row.arrivals[i];
      node::NodeRuntime before = runtime;
      forward::Outcome outcome;
      forward::forward(state, runtime, packet, ingress, {}, outcome);
      EXPECT_EQ(testing::describe(outcome), row.expected[i]);
      EXPECT_EQ(reference::compare(outcome, reference::forward(state, before, packet, ingress, {})),
                "");
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
