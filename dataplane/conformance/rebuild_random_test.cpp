#include <array>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/real_bytes.h"
#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/forward/forward.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::conformance {
namespace {

using forward::Egress;
using forward::Ingress;
using testing::Bytes;
using testing::Way;
using testing::wrong_checksum;
/// How often something happened.
using Seen = std::map<std::string, int>;

/// Random nodes and packets as in reference/differential_test.cpp, but with real bytes: what comes
/// out of one node goes on into the next.
class Rebuilding {
 public:
  Rebuilding(std::uint64_t seed, Way way, Seen& seen)
      : world_(seed),
        random_(seed, StreamUse::Pattern, 1),
        cluster_(world_.cluster()),
        seen_(seen) {
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i)
      nodes_.emplace_back(way);
    for (testing::BothPaths& node : nodes_) {
      // Adjacencies leave connections without effect out of the table, which is full later then.
      if (way == Way::AdjacenciesFirst || !world_.one_in(3)) continue;
      node.runtime().connections = node::ConntrackTable(3);
      node.reference_runtime().connections = node::ConntrackTable(3);
    }
  }

  void run(int packets) {
    for (int i = 0; i < packets && !::testing::Test::HasFailure(); ++i) {
      now_ += milliseconds(static_cast<std::int64_t>(world_.below(4'000)));
      if (world_.one_in(25)) change_a_state();
      const Ingress ingress = std::array{Ingress::Pod, Ingress::Uplink, Ingress::Uplink,
                                         Ingress::Host}[world_.below(4)];
      inject(static_cast<std::uint32_t>(world_.below(nodes_.size())),
             world_.packet(ingress == Ingress::Uplink), ingress);
      for (int hop = 0; hop < 40 && !waiting_.empty() && !::testing::Test::HasFailure(); ++hop)
        next();
      waiting_.clear();
    }
  }

 private:
  struct Waiting {
    std::uint32_t node;
    Bytes bytes;
    Ingress ingress;
    bool sound;  ///< All of its checksums are right.
  };

  void change_a_state() {
    const std::uint64_t at = world_.below(nodes_.size());
    node::NodeState& state = cluster_.nodes[at];
    world_.tamper(state);
    node::forget_lost_devices(nodes_[at].runtime(), state);
    node::forget_lost_devices(nodes_[at].reference_runtime(), state);
  }

  /// Whole or in pieces, some of which are lost; with link padding behind.
  void inject(std::uint32_t at, const forward::Packet& packet, Ingress ingress) {
    const node::NodeState& state = cluster_.nodes[at];
    Bytes bytes = testing::real_bytes(state, packet, random_);
    if (world_.one_in(10)) bytes.back() ^= 1;
    const bool is_piece = packet.outermost().is_fragment();
    const bool sound = !is_piece && wrong_checksum(state, bytes).empty();
    std::vector<Bytes> pieces{bytes};
    if (!is_piece && world_.one_in(3) && packet.outermost().total_length > 200) {
      const std::size_t mtu = 160 + world_.below(1400);
      const auto identification = static_cast<std::uint32_t>(random_.next());
      if (bytes.size() > mtu) pieces = reference::fragments_of(bytes, mtu, identification);
    }
    for (Bytes& piece : pieces) {
      if (pieces.size() > 1 && world_.one_in(20)) continue;
      if (world_.one_in(4)) piece.resize(piece.size() + world_.below(20));
      const auto place = static_cast<std::ptrdiff_t>(world_.below(waiting_.size() + 1));
      waiting_.insert(waiting_.begin() + place, {at, piece, ingress, sound});
    }
  }

  void next() {
    const Waiting input = waiting_.front();
    waiting_.pop_front();
    const node::NodeState& state = cluster_.nodes[input.node];
    const auto rebuilt = nodes_[input.node].arrive(state, input.bytes, input.ingress, now_);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "for " << testing::hex(input.bytes) << "from "
                    << static_cast<int>(input.ingress) << " on\n"
                    << to_string(state);
      return;
    }
    count(input, rebuilt);
    for (const auto& sent : rebuilt.outcome.sent) {
      if (input.sound || sent.is_reply) {
        EXPECT_EQ(wrong_checksum(state, sent.bytes), "") << testing::hex(sent.bytes);
      }
      const bool sound = input.sound || sent.is_reply;
      if (sent.egress == Egress::Uplink) cross(input.node, sent, sound);
      answer(input, sent);
    }
  }

  void cross(std::uint32_t from, const reference::ByteNode::Sent& sent, bool sound) {
    const auto packet = forward::read_packet(cluster_.nodes[from], sent.bytes);
    ASSERT_TRUE(packet) << testing::hex(sent.bytes);
    forward::FabricOutcome outcome;
    forward::forward(cluster_.fabric, *packet, from, sent.next_hop, outcome);
    if (!outcome.drop) waiting_.push_back({outcome.instance, sent.bytes, Ingress::Uplink, sound});
  }

  /// Packets that left the cluster, or came to a pod, are answered now and then.
  void answer(const Waiting& input, const reference::ByteNode::Sent& sent) {
    const node::NodeState& state = cluster_.nodes[input.node];
    const auto packet = forward::read_packet(state, sent.bytes);
    ASSERT_TRUE(packet) << testing::hex(sent.bytes);
    const bool bare = !packet->is_encapsulated() && !packet->inner.is_fragment();
    if (!bare || sent.egress == Egress::Host || world_.one_in(2)) return;
    inject(input.node, world_.answer_to(*packet),
           sent.egress == Egress::Pod ? Ingress::Pod : Ingress::Uplink);
  }

  void count(const Waiting& input, const testing::Rebuilt& rebuilt) {
    ++seen_["packets"];
    seen_["ahead"] += rebuilt.ahead;
    seen_["held"] += rebuilt.outcome.held.has_value();
    seen_["dropped"] += rebuilt.outcome.drop.has_value();
    for (const auto& sent : rebuilt.outcome.sent) {
      const forward::IpFields header = reference::header_of(sent.bytes);
      const bool ipv4 = header.is_ipv4();
      ++seen_[sent.is_reply ? "replies" : "sent"];
      const bool is_own = node::is_local(cluster_.nodes[input.node], header.source);
      if (is_own && input.ingress == Ingress::Pod && !sent.is_reply) ++seen_["masqueraded"];
      if (header.is_fragment()) ++seen_[ipv4 ? "fragments" : "ipv6 fragments"];
      if (header.option_bytes != 0) ++seen_[ipv4 ? "options" : "extension headers"];
      if (header.is_fragment() && header.option_bytes != 0) {
        ++seen_[ipv4 ? "fragments with options" : "ipv6 fragments with extension headers"];
      }
    }
  }

  reference::testing::RandomWorld world_;
  RandomStream random_;
  node::testing::Cluster cluster_;
  std::vector<testing::BothPaths> nodes_;
  Seen& seen_;
  std::deque<Waiting> waiting_;
  Picos now_;
};

Seen seen_in_worlds(Way way) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed)
    Rebuilding(seed, way, seen).run(50);
  for (const auto& [what, times] : seen)
    ::testing::Test::RecordProperty(what, times);
  // An agreement about what never happened would say nothing.
  for (const char* what :
       {"held", "dropped", "masqueraded", "replies", "fragments", "ipv6 fragments", "options",
        "extension headers", "fragments with options", "ipv6 fragments with extension headers"}) {
    EXPECT_GT(seen[what], 20) << what;
  }
  return seen;
}

TEST(Rebuild, SendsTheBytesThatTheBytePathSends) {
  seen_in_worlds(Way::Full);
}

TEST(Adjacency, BeforeTheFullPathChangesNothing) {
  EXPECT_GT(seen_in_worlds(Way::AdjacenciesFirst)["ahead"], 300);
}

}  // namespace
}  // namespace overlane::conformance
