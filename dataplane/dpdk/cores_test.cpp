#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/dpdk/loopback_node.h"
#include "dataplane/dpdk/testing/two_core_node.h"
#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {
namespace cores_test {

using forward::Ingress;
using node::testing::make_cluster;
using testing::LeftFrame;
using testing::TwoCoreNode;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kPeers = 8;
constexpr std::size_t kOption = 4;
constexpr std::size_t kPayload = 64;

/// Two alternating states of one node. The second has another encapsulation, and other addresses
/// and another next hop for half of the peers.
const node::NodeState& state(bool second) {
  static const auto one =
      make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = kPeers + 1}).nodes[0];
  static const auto other =
      make_cluster({.encapsulation = Encapsulation::Vxlan, .nodes = kPeers + 1, .subnets = 2})
          .nodes[0];
  return second ? other : one;
}

std::shared_ptr<const Generation> make_generation(bool second) {
  auto made = generation(std::make_shared<const node::NodeState>(state(second)));
  EXPECT_TRUE(made) << made.error();
  return *made;
}

/// Writes a number and its complement into the end of a packet, so that no checksum changes.
void set_number(Bytes& packet, std::uint32_t number) {
  store_be32(packet.data() + packet.size() - 8, number);
  store_be32(packet.data() + packet.size() - 4, ~number);
}

std::uint32_t number_of(const Bytes& packet) {
  return load_be32(packet.data() + packet.size() - 8);
}

/// A packet from a local pod to a pod of a peer, of a protocol without connections. With options,
/// the packet needs the full path.
Bytes packet_to(std::uint32_t peer, bool options) {
  const std::size_t header = wire::kIpv4Bytes + (options ? kOption : 0);
  Bytes bytes = wire::ip_packet({.source = node::testing::pod(0),
                                 .destination = node::testing::pod(1 + peer),
                                 .protocol = 99},
                                header + kPayload);
  if (options) {
    bytes[0] = 0x46;
    std::fill_n(bytes.begin() + wire::kIpv4Bytes, kOption, 1);
    store_be16(bytes.data() + 10, 0);
    store_be16(bytes.data() + 10, internet_checksum(std::span(bytes).first(header)));
  }
  set_number(bytes, 0);
  return bytes;
}

/// A sent packet without the fields that differ for each packet: its number in the payload, the
/// outer identification, and the checksum over it.
struct Shape {
  IpAddress next_hop;
  Bytes packet;
  auto operator<=>(const Shape&) const = default;
};

Shape shape_of(IpAddress next_hop, Bytes packet) {
  set_number(packet, 0);
  store_be16(packet.data() + 4, 0);
  store_be16(packet.data() + 10, 0);
  return {next_hop, std::move(packet)};
}

/// All packets that the test sends, and the expected result of each under each state.
struct Traffic {
  std::vector<Bytes> packets;
  std::vector<std::array<Shape, 2>> shapes;

  static Traffic make() {
    Traffic traffic;
    for (std::uint32_t i = 0; i < 2 * kPeers; ++i)
      traffic.packets.push_back(packet_to(i % kPeers, i >= kPeers));
    traffic.shapes.resize(traffic.packets.size());
    auto node = LoopbackNode::make(1500);
    EXPECT_TRUE(node) << node.error();
    for (const bool second : {false, true}) {
      (*node)->replace(make_generation(second), {});
      for (std::size_t i = 0; i < traffic.packets.size(); ++i) {
        const auto sent = (*node)->arrive(traffic.packets[i], Ingress::Pod, {});
        EXPECT_TRUE(sent && sent->size() == 1);
        traffic.shapes[i][second] = shape_of(sent->at(0).next_hop, sent->at(0).packet);
      }
      EXPECT_NE(traffic.shapes[0][0], traffic.shapes[0][1]);
    }
    return traffic;
  }
};

/// A time limit far above the normal duration, for a busy machine.
class Deadline {
 public:
  bool is_over() const { return Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(20);
};

/// A node on two cores with traffic from its pods. Accounts for each packet.
class Stream {
 public:
  Stream(TwoCoreNode& node, const Traffic& traffic) : node_(node), traffic_(traffic) {}

  void send(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      // One packet in eight needs the full path.
      const std::uint32_t which = sent_ % kPeers + (sent_ / kPeers % 8 == 0 ? kPeers : 0);
      Bytes packet = traffic_.packets[which];
      set_number(packet, sent_);
      if (!node_.put(Ingress::Pod, packet)) return;
      waiting_.emplace(sent_++, which);
    }
  }
  void check(const std::vector<LeftFrame>& frames) {
    for (const LeftFrame& frame : frames)
      check(frame);
  }
  /// Polls until all packets have left. Returns false if some do not.
  bool drain() {
    const Deadline deadline;
    while (!waiting_.empty() && !deadline.is_over())
      check(node_.poll());
    return waiting_.empty();
  }
  std::uint32_t sent() const { return sent_; }
  /// Number of packets that left as each state requires.
  const std::array<std::uint32_t, 2>& left() const { return left_; }

 private:
  void check(const LeftFrame& frame) {
    const std::span<const std::uint8_t> packet(frame.packet);
    EXPECT_EQ(internet_checksum(packet.first(wire::kIpv4Bytes)), 0) << "the outer header";
    EXPECT_TRUE(identifications_.emplace(load_be32(&packet[16]), load_be16(&packet[4])).second)
        << "two packets to one tunnel end have the same identification";
    const auto found = waiting_.find(number_of(frame.packet));
    ASSERT_NE(found, waiting_.end()) << "a packet that nobody sent, or twice";
    const Shape shape = shape_of(frame.next_hop, frame.packet);
    const auto& shapes = traffic_.shapes[found->second];
    const auto state = std::ranges::find(shapes, shape) - shapes.begin();
    ASSERT_LT(state, 2) << "neither the one state nor the other: to " << frame.next_hop.to_string();
    ++left_[static_cast<std::size_t>(state)];
    waiting_.erase(found);
  }

  TwoCoreNode& node_;
  const Traffic& traffic_;
  std::uint32_t sent_ = 0;
  std::map<std::uint32_t, std::uint32_t> waiting_;
  std::array<std::uint32_t, 2> left_{};
  std::set<std::pair<std::uint32_t, std::uint16_t>> identifications_;
};

/// Checks that each frame is counted once.
void expect_balanced(const TwoCoreNode& node) {
  const ForwardCounters counters = node.forwarder->counters();
  EXPECT_EQ(counters.received, node.put_count());
  EXPECT_EQ(counters.received, counters.ahead + counters.backlog_full + counters.slow.full +
                                   counters.slow.neighbours + counters.slow.refused);
}

class Cores : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::eal();
    if (testing::cores().size() < 2) GTEST_SKIP() << "the machine has one core";
  }
};

TEST_F(Cores, EachPacketLeavesAsOneStateSaysWhileStatesAreReplaced) {
  constexpr std::size_t kRounds = 15;
  constexpr std::size_t kReplacements = 16;
  const Traffic traffic = Traffic::make();
  auto node = TwoCoreNode::make("replaced");
  std::array generations{make_generation(false), make_generation(true)};
  std::vector<std::weak_ptr<const Generation>> made{generations[0], generations[1]};
  node->forwarder->replace(generations[0], node->now);
  ASSERT_TRUE(node->forwarder->start_team());
  Stream stream(*node, traffic);
  for (std::size_t round = 0; round < kRounds && !HasFailure(); ++round) {
    for (std::size_t i = 0; i < kReplacements; ++i) {
      stream.send(60);
      node->forwarder->replace(generations[(round + i) % 2], node->now);
      stream.send(4);
      stream.check(node->poll());
      node->now += milliseconds(1);
    }
    generations[round % 2] = make_generation(round % 2 == 1);
    made.emplace_back(generations[round % 2]);
    EXPECT_TRUE(stream.drain()) << "packets are lost";
  }
  generations = {};
  node->forwarder->stop_team(node->now);
  EXPECT_TRUE(node->poll().empty());
  expect_balanced(*node);
  const ForwardCounters counters = node->forwarder->counters();
  EXPECT_GT(stream.sent(), 10'000u);
  for (const std::uint32_t left : stream.left())
    EXPECT_GT(left, stream.sent() / 10);
  EXPECT_GT(counters.ahead, stream.sent() / 2);
  EXPECT_GT(counters.slow.full, stream.sent() / 10);
  EXPECT_EQ(counters.slow.drops, DropCounts{});
  const Generation* last = &node->forwarder->generation();
  for (const auto& one : made)
    EXPECT_TRUE(one.expired() || one.lock().get() == last);
  node->forwarder.reset();
  EXPECT_EQ(node->pool.in_use(), 0u);
  for (const auto& one : made)
    EXPECT_TRUE(one.expired());
}

TEST_F(Cores, AMainCoreThatIsLateCostsPacketsThatAreCountedAndNoOthers) {
  const Traffic traffic = Traffic::make();
  auto node = TwoCoreNode::make("late");
  node->forwarder->replace(make_generation(false), node->now);
  ASSERT_TRUE(node->forwarder->start_team());
  Stream known(*node, traffic);
  known.send(kPeers);
  ASSERT_TRUE(known.drain());
  const std::uint64_t before = node->forwarder->counters().ahead;
  // Packets for the full path queue up; the other packets do not wait.
  constexpr std::uint64_t kFull = 3000;
  constexpr std::uint64_t kAhead = 100;
  std::uint64_t full = 0;
  const Deadline deadline;
  while (full < kFull && !deadline.is_over())
    full += node->put(Ingress::Pod, traffic.packets[kPeers]);
  for (std::uint64_t i = 0; i < kAhead;)
    i += node->put(Ingress::Pod, traffic.packets[0]);
  while (node->forwarder->counters().ahead < before + kAhead && !deadline.is_over()) {
  }
  ASSERT_EQ(node->forwarder->counters().ahead, before + kAhead);
  std::size_t left = node->poll().size();
  node->forwarder->stop_team(node->now);
  left += node->poll().size();
  expect_balanced(*node);
  const ForwardCounters counters = node->forwarder->counters();
  EXPECT_GT(counters.backlog_full, 1000u);
  EXPECT_EQ(counters.backlog_full,
            static_cast<std::uint64_t>(counters.slow.drops[Drop::CpuBacklogFull]));
  EXPECT_EQ(left, kFull + kAhead - counters.backlog_full);
  node->forwarder.reset();
  EXPECT_EQ(node->pool.in_use(), 0u);
}

}  // namespace cores_test
}  // namespace overlane::dpdk
