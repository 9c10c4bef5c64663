#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/real_bytes.h"
#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/forward/forward.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::conformance::testing {

// Random traffic through a random cluster, in which each executor of a node is compared with the
// byte path packet by packet. Numbers of events show what the comparison covered.

/// Numbers of events in random traffic, by name.
using Seen = std::map<std::string, int>;

/// Sends random packets as bytes through a random cluster (RandomWorld). A packet that one node
/// emits arrives at the next, and nodes change their states between packets.
///
/// A Node is the executor of one node with its oracle. Its arrive(state, bytes, ingress, now)
/// returns a Rebuilt and fails the test at a difference; run_usual() also needs arrive_ahead(),
/// with the same parameters. forget_lost_devices(state) is called after each change of the state.
template <typename Node>
class RandomTraffic {
 public:
  RandomTraffic(std::uint64_t seed,
                const std::function<Node(reference::testing::RandomWorld&)>& make, Seen& seen)
      : world_(seed),
        random_(seed, StreamUse::Pattern, 1),
        cluster_(world_.cluster()),
        seen_(seen) {
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i)
      nodes_.push_back(make(world_));
  }

  void run(int packets) {
    for (int i = 0; i < packets && !::testing::Test::HasFailure(); ++i) {
      now_ += milliseconds(static_cast<std::int64_t>(world_.below(4'000)));
      if (world_.one_in(25)) change_a_state();
      const forward::Ingress ingress =
          std::array{forward::Ingress::Pod, forward::Ingress::Uplink, forward::Ingress::Uplink,
                     forward::Ingress::Host}[world_.below(4)];
      inject(static_cast<std::uint32_t>(world_.below(nodes_.size())),
             world_.packet(ingress == forward::Ingress::Uplink), ingress);
      for (int hop = 0; hop < 40 && !waiting_.empty() && !::testing::Test::HasFailure(); ++hop)
        next();
      waiting_.clear();
    }
  }

  /// Runs packets as pods usually send them. Before each hop, three copies with a bit changed in
  /// the headers, some also cut off or extended, arrive at the adjacencies.
  void run_usual(int packets) {
    for (int i = 0; i < packets && !::testing::Test::HasFailure(); ++i) {
      now_ += milliseconds(static_cast<std::int64_t>(world_.below(100)));
      if (world_.one_in(50)) change_a_state();
      const auto at = static_cast<std::uint32_t>(world_.below(nodes_.size()));
      const Bytes bytes = real_bytes(cluster_.nodes[at], world_.usual_packet(at), random_);
      waiting_.push_back(
          {at, bytes, forward::Ingress::Pod, wrong_checksum(cluster_.nodes[at], bytes).empty()});
      for (int hop = 0; hop < 10 && !waiting_.empty() && !::testing::Test::HasFailure(); ++hop) {
        for (int change = 0; change < 3; ++change)
          arrive_changed(waiting_.front());
        next();
      }
      waiting_.clear();
    }
  }

 private:
  struct Waiting {
    std::uint32_t node;
    Bytes bytes;
    forward::Ingress ingress;
    bool sound;  ///< All of its checksums are right.
  };

  void change_a_state() {
    const std::uint64_t at = world_.below(nodes_.size());
    node::NodeState& state = cluster_.nodes[at];
    world_.tamper(state);
    nodes_[at].forget_lost_devices(state);
    ++seen_["state changes"];
  }

  /// Sends a packet to a node, whole or as fragments of which some are lost, some with link
  /// padding.
  void inject(std::uint32_t at, const forward::Packet& packet, forward::Ingress ingress) {
    const node::NodeState& state = cluster_.nodes[at];
    Bytes bytes = real_bytes(state, packet, random_);
    if (world_.one_in(10)) bytes.back() ^= 1;
    const bool is_fragment = packet.outermost().is_fragment();
    const bool sound = !is_fragment && wrong_checksum(state, bytes).empty();
    std::vector<Bytes> fragments{bytes};
    if (!is_fragment && world_.one_in(3) && packet.outermost().total_length > 200) {
      const std::size_t mtu = 160 + world_.below(1400);
      const auto identification = static_cast<std::uint32_t>(random_.next());
      if (bytes.size() > mtu) fragments = reference::fragments_of(bytes, mtu, identification);
    }
    for (Bytes& fragment : fragments) {
      if (fragments.size() > 1 && world_.one_in(20)) continue;
      if (world_.one_in(4)) fragment.resize(fragment.size() + world_.below(20));
      const auto place = static_cast<std::ptrdiff_t>(world_.below(waiting_.size() + 1));
      waiting_.insert(waiting_.begin() + place, {at, fragment, ingress, sound});
    }
  }

  /// Sends a changed copy to the adjacencies only. Packets that they emit are not sent on.
  void arrive_changed(const Waiting& input) {
    // The longest tunnel headers, and the headers of the inner packet with its ports.
    constexpr std::size_t kHeaders = 114;
    Bytes bytes = input.bytes;
    bytes[world_.below(std::min(bytes.size(), kHeaders))] ^=
        static_cast<std::uint8_t>(1 << world_.below(8));
    if (world_.one_in(4)) bytes.resize(1 + world_.below(bytes.size() + 8));
    const node::NodeState& state = cluster_.nodes[input.node];
    seen_["changed and ahead"] +=
        nodes_[input.node].arrive_ahead(state, bytes, input.ingress, now_);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "for " << hex(bytes) << "from " << static_cast<int>(input.ingress) << " on\n"
                    << to_string(state);
    }
  }

  void next() {
    const Waiting input = waiting_.front();
    waiting_.pop_front();
    const node::NodeState& state = cluster_.nodes[input.node];
    const auto rebuilt = nodes_[input.node].arrive(state, input.bytes, input.ingress, now_);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "for " << hex(input.bytes) << "from " << static_cast<int>(input.ingress)
                    << " on\n"
                    << to_string(state);
      return;
    }
    count(input, rebuilt);
    for (const auto& sent : rebuilt.outcome.sent) {
      if (input.sound || sent.is_reply) {
        EXPECT_EQ(wrong_checksum(state, sent.bytes), "") << hex(sent.bytes);
      }
      const bool sound = input.sound || sent.is_reply;
      if (sent.egress == forward::Egress::Uplink) cross(input.node, sent, sound);
      answer(input, sent);
    }
  }

  void cross(std::uint32_t from, const reference::ByteNode::Sent& sent, bool sound) {
    const auto packet = forward::read_packet(cluster_.nodes[from], sent.bytes);
    ASSERT_TRUE(packet) << hex(sent.bytes);
    forward::FabricOutcome outcome;
    forward::forward(cluster_.fabric, *packet, from, sent.next_hop, outcome);
    if (!outcome.drop)
      waiting_.push_back({outcome.instance, sent.bytes, forward::Ingress::Uplink, sound});
  }

  /// Answers half of the packets that were sent to a pod or by the uplink, if they are unfragmented
  /// and have no tunnel headers.
  void answer(const Waiting& input, const reference::ByteNode::Sent& sent) {
    const node::NodeState& state = cluster_.nodes[input.node];
    const auto packet = forward::read_packet(state, sent.bytes);
    ASSERT_TRUE(packet) << hex(sent.bytes);
    const bool bare = !packet->is_encapsulated() && !packet->inner.is_fragment();
    if (!bare || sent.egress == forward::Egress::Host || world_.one_in(2)) return;
    inject(input.node, world_.answer_to(*packet),
           sent.egress == forward::Egress::Pod ? forward::Ingress::Pod : forward::Ingress::Uplink);
  }

  void count(const Waiting& input, const Rebuilt& rebuilt) {
    ++seen_["packets"];
    seen_["ahead"] += rebuilt.ahead;
    if (rebuilt.ahead) count_ahead(input, rebuilt.outcome.sent.front());
    seen_["held"] += rebuilt.outcome.held.has_value();
    seen_["dropped"] += rebuilt.outcome.drop.has_value();
    for (const auto& sent : rebuilt.outcome.sent) {
      const forward::IpFields header = reference::header_of(sent.bytes);
      const bool ipv4 = header.is_ipv4();
      ++seen_[sent.is_reply ? "replies" : "sent"];
      const bool is_own = node::is_local(cluster_.nodes[input.node], header.source);
      if (is_own && input.ingress == forward::Ingress::Pod && !sent.is_reply)
        ++seen_["masqueraded"];
      if (header.is_fragment()) ++seen_[ipv4 ? "fragments" : "ipv6 fragments"];
      if (header.option_bytes != 0) ++seen_[ipv4 ? "options" : "extension headers"];
      if (header.is_fragment() && header.option_bytes != 0) {
        ++seen_[ipv4 ? "fragments with options" : "ipv6 fragments with extension headers"];
      }
    }
  }

  /// Counts a packet that an adjacency forwarded, by the families and tunnels on both sides.
  void count_ahead(const Waiting& input, const reference::ByteNode::Sent& sent) {
    const node::NodeState& state = cluster_.nodes[input.node];
    const auto came = forward::read_packet(state, input.bytes);
    const auto left = forward::read_packet(state, sent.bytes);
    ASSERT_TRUE(came && left) << hex(sent.bytes);
    const auto outer = [](const forward::Packet& packet) {
      return packet.outermost().is_ipv4() ? "ipv4" : "ipv6";
    };
    std::string what = came->inner.is_ipv4() ? "ahead ipv4" : "ahead ipv6";
    if (came->is_encapsulated()) what += std::string(" out of ") + outer(*came);
    if (left->is_encapsulated()) what += std::string(" into ") + outer(*left);
    ++seen_[what];
    if (sent.egress == forward::Egress::Uplink && sent.next_hop == left->inner.destination &&
        state.cluster->with_node_address(sent.next_hop) == nullptr)
      ++seen_["ahead to a pod as a neighbour"];
  }

  reference::testing::RandomWorld world_;
  RandomStream random_;
  node::testing::Cluster cluster_;
  std::vector<Node> nodes_;
  Seen& seen_;
  std::deque<Waiting> waiting_;
  Picos now_;
};

/// Expects that every event happened more than `times` times, so that the comparison covers it.
inline void expect_all_seen(const Seen& seen, int times) {
  for (const char* what :
       {"held", "dropped", "masqueraded", "replies", "fragments", "ipv6 fragments", "options",
        "extension headers", "fragments with options", "ipv6 fragments with extension headers"}) {
    const auto found = seen.find(what);
    EXPECT_GT(found == seen.end() ? 0 : found->second, times) << what;
  }
}

}  // namespace overlane::conformance::testing
