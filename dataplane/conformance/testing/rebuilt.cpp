#include "dataplane/conformance/testing/rebuilt.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace overlane::conformance::testing {
std::string text(const reference::ByteOutcome& outcome) {
  std::string text;
  for (const auto& sent : outcome.sent) {
    text += fmt::format("egress {} via {}{}: {}\n", static_cast<int>(sent.egress),
                        sent.next_hop.to_string(), sent.is_reply ? " reply" : "", hex(sent.bytes));
  }
  if (outcome.held) text += "held\n";
  if (outcome.drop) text += fmt::format("{}\n", to_string(*outcome.drop));
  return text;
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x} ", byte);
  return text;
}

void BothPaths::compare(const Rebuilt& rebuilt, const reference::ByteOutcome& expected) const {
  EXPECT_EQ(text(rebuilt.outcome), text(expected));
  EXPECT_EQ(runtime_, reference_);
  EXPECT_EQ(path_.held(), runtime_.reassembly.pieces());
}

Rebuilt BothPaths::time_out(const node::NodeState& state, Picos now) {
  Rebuilt rebuilt;
  path_.time_out(forward::StateLookup(state), runtime_, now, rebuilt);
  reference::ByteOutcome expected;
  const auto lost = reference_.reassembly.expire(now);
  EXPECT_EQ(rebuilt.lost_pieces, lost);
  for (const auto& packet : lost) {
    std::ranges::move(reference::time_out(state, reference_, pieces_, packet, now).sent,
                      std::back_inserter(expected.sent));
  }
  compare(rebuilt, expected);
  return rebuilt;
}

Rebuilt BothPaths::arrive(const node::NodeState& state, const Bytes& bytes,
                          forward::Ingress ingress, Picos now) {
  time_out(state, now);
  Rebuilt rebuilt;
  const rebuild::Fate fate =
      path_.run(forward::StateLookup(state), runtime_, bytes, ingress, now, rebuilt);
  rebuilt.outcome.drop = fate.drop;
  const auto expected = reference::forward(state, reference_, pieces_, bytes, ingress, now);
  if (fate.held) rebuilt.outcome.held = expected.held;
  EXPECT_EQ(fate.held, expected.held.has_value());
  compare(rebuilt, expected);
  return rebuilt;
}

}  // namespace overlane::conformance::testing
