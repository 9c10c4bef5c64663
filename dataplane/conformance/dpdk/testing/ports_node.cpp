#include "dataplane/conformance/dpdk/testing/ports_node.h"

#include <gtest/gtest.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::conformance::testing {
namespace {

/// Close to the largest IP packet: 65,535 bytes without an mbuf's headroom and the Ethernet header.
constexpr std::uint32_t kMtu = 65'535 - 128 - 14;

}  // namespace

void start_dpdk() {
  static const auto eal = dpdk::Eal::start({.hugepages = false, .memory_mib = 1024});
  ASSERT_TRUE(eal) << eal.error();
}

std::shared_ptr<const dpdk::Generation> Generations::of(const node::NodeState& state) {
  if (last_ && last_->state() == state) return last_;
  last_.reset();
  auto made = dpdk::generation(std::make_shared<const node::NodeState>(state));
  EXPECT_TRUE(made) << made.error();
  return last_ = std::move(*made);
}

PortsNode::PortsNode(Generations& generations)
    : generations_(generations), verifier_(*verify::Verifier::make(kMtu)) {}

void PortsNode::take_over(const node::NodeState& state, Picos now) {
  now_ = now;
  if (has_state_ && verifier_.state() == state) return;
  EXPECT_EQ(verifier_.change(generations_.of(state), now).difference, "");
  has_state_ = true;
}

Rebuilt PortsNode::arrive(const node::NodeState& state, const Bytes& bytes,
                          forward::Ingress ingress, Picos now) {
  take_over(state, now);
  const verify::Comparison comparison = verifier_.arrive(bytes, ingress, now);
  EXPECT_EQ(comparison.difference, "");
  expect_balanced();
  return {.outcome = comparison.expected, .ahead = comparison.ahead};
}

void PortsNode::pass_time(const node::NodeState& state, Picos now) {
  take_over(state, now);
  EXPECT_EQ(verifier_.pass_time(now).difference, "");
  expect_balanced();
}

void PortsNode::expect_balanced() const {
  const dpdk::ForwardCounters counters = verifier_.counters();
  EXPECT_EQ(counters.packets_in(), counters.packets_out());
  EXPECT_EQ(counters.slow.errors_made, counters.links.errors_sent);
  EXPECT_EQ(counters.waiting, 0u);
}

}  // namespace overlane::conformance::testing
