#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/loopback_node.h"

namespace overlane::conformance {
namespace {

using dpdk::Generation;
using dpdk::LoopbackNode;
using dpdk::SentPacket;
using testing::Arrival;
using testing::Bytes;
using testing::Case;
using testing::text;

/// The largest IP packet.
constexpr std::uint32_t kMtu = 65'535 - 14 - 128;

/// One row on both byte paths: through the ports of a node on DPDK, and the reference.
class Row {
 public:
  explicit Row(std::shared_ptr<const Generation> generation)
      : state_(generation->compiled.state), node_(*LoopbackNode::make(kMtu)) {
    node_->replace(std::move(generation), now_);
    // What it asks its neighbours is no packet of the row.
    EXPECT_EQ(*node_->pass_time(now_), std::vector<SentPacket>{});
  }

  void pass_time(Picos time) {
    now_ += time;
    const auto sent = node_->pass_time(now_);
    ASSERT_TRUE(sent) << sent.error();
    reference::ByteOutcome expected;
    tell_of_lost(expected);
    compare(*sent, expected);
  }

  void arrive(const Bytes& bytes, forward::Ingress ingress) {
    const auto sent = node_->arrive(bytes, ingress, now_);
    ASSERT_TRUE(sent) << sent.error();
    reference::ByteOutcome expected;
    tell_of_lost(expected);
    auto outcome = reference::forward(*state_, reference_, pieces_, bytes, ingress, now_);
    std::ranges::move(outcome.sent, std::back_inserter(expected.sent));
    if (outcome.drop) ++drops_[*outcome.drop];
    compare(*sent, expected);
  }

  std::uint64_t ahead() const { return node_->forwarder().counters().ahead; }

 private:
  void tell_of_lost(reference::ByteOutcome& expected) {
    for (const auto& lost : reference_.reassembly.expire(now_)) {
      drops_[lost.drop] += lost.pieces;
      std::ranges::move(reference::time_out(*state_, reference_, pieces_, lost, now_).sent,
                        std::back_inserter(expected.sent));
    }
  }

  void compare(const std::vector<SentPacket>& sent, reference::ByteOutcome& expected) const {
    std::ranges::stable_sort(expected.sent, {}, &reference::ByteNode::Sent::egress);
    reference::ByteOutcome ours;
    for (const SentPacket& one : sent)
      ours.sent.push_back({one.egress, one.packet, one.next_hop, false});
    // A frame does not say whether it was caused by another.
    for (auto& one : expected.sent)
      one.is_reply = false;
    EXPECT_EQ(text(ours), text(expected));
    const dpdk::ForwardCounters counters = node_->forwarder().counters();
    EXPECT_EQ(counters.slow.drops, drops_);
    EXPECT_EQ(counters.held, reference_.reassembly.pieces());
    const node::NodeRuntime& runtime = node_->forwarder().runtime();
    EXPECT_EQ(runtime.identification, reference_.identification);
    EXPECT_EQ(runtime.path_mtus, reference_.path_mtus);
    EXPECT_EQ(runtime.reassembly, reference_.reassembly);
    EXPECT_EQ(runtime.icmp_limit, reference_.icmp_limit);
  }

  std::shared_ptr<const node::NodeState> state_;
  std::unique_ptr<LoopbackNode> node_;
  node::NodeRuntime reference_;
  reference::HeldPieces pieces_;
  DropCounts drops_;
  Picos now_;
};

TEST(ConformanceOnDpdk, PortsSendTheBytesThatTheBytePathSends) {
  const auto eal = dpdk::Eal::start({.hugepages = false, .memory_mib = 512});
  ASSERT_TRUE(eal) << eal.error();
  std::uint64_t ahead = 0;
  std::shared_ptr<const Generation> generation;  // Of the last row.
  for (const Case& one : testing::all_cases()) {
    SCOPED_TRACE(one.sentence);
    const node::NodeState state = state_of(one);
    if (!generation || generation->state() != state) {
      generation.reset();
      generation = *dpdk::generation(std::make_shared<const node::NodeState>(state));
    }
    Row row(generation);
    for (const Arrival& arrival : one.arrivals) {
      SCOPED_TRACE(arrival.lie);
      if (arrival.silence) {
        row.pass_time(*arrival.silence);
      } else {
        row.arrive(bytes_of(state, arrival), arrival.ingress);
      }
    }
    ahead += row.ahead();
  }
  EXPECT_GT(ahead, 50);
}

}  // namespace
}  // namespace overlane::conformance
