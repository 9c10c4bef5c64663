#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "dataplane/forward/fragment.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/reference/reference.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::reference {
namespace {

using forward::Ingress;
using forward::Packet;

/// Feeds packets to both executors, and what comes out of one node through the fabric to the next.
class Differential {
 public:
  explicit Differential(std::uint64_t seed)
      : world_(seed), cluster_(world_.cluster()), runtimes_(cluster_.nodes.size()) {}

  void run(int packets) {
    for (int i = 0; i < packets && !::testing::Test::HasFailure(); ++i) {
      now_ += milliseconds(static_cast<std::int64_t>(world_.below(4'000)));
      const Ingress ingress = std::array{Ingress::Pod, Ingress::Uplink, Ingress::Uplink,
                                         Ingress::Host}[world_.below(4)];
      const Packet packet = world_.packet(ingress == Ingress::Uplink);
      const auto at = static_cast<std::uint32_t>(world_.below(cluster_.nodes.size()));
      send_perhaps_in_pieces(at, packet, ingress);
      for (int hop = 0; hop < 40 && !waiting_.empty(); ++hop)
        next();
      waiting_.clear();
    }
  }

  static std::map<Drop, int> drops;
  static int decisions;
  static int held;
  static int replies;

 private:
  struct Waiting {
    std::uint32_t node;
    Packet packet;
    Ingress ingress;
  };

  void send_perhaps_in_pieces(std::uint32_t at, const Packet& packet, Ingress ingress) {
    // ip6tnl never cuts the outer packet; its options would hide the protocol in later pieces.
    const bool cut = ingress == Ingress::Uplink && world_.one_in(3) &&
                     packet.outermost().total_length > 128 &&
                     packet.encapsulation != Encapsulation::Ip6Tnl;
    if (!cut) return waiting_.push_back({at, packet, ingress});
    std::vector<Waiting> pieces;
    forward::fragment(packet, static_cast<std::uint32_t>(128 + world_.below(1400)),
                      [&](const Packet& piece) {
                        pieces.push_back({at, piece, ingress});
                      });
    for (Waiting& piece : pieces) {
      if (world_.one_in(20)) continue;
      const auto place = static_cast<std::ptrdiff_t>(world_.below(waiting_.size() + 1));
      waiting_.insert(waiting_.begin() + place, piece);
    }
  }

  void next() {
    const Waiting input = waiting_.front();
    waiting_.pop_front();
    const auto& state = cluster_.nodes[input.node];
    node::NodeRuntime runtime = runtimes_[input.node];
    std::vector<forward::Step> steps;
    forward::forward(state, runtimes_[input.node], input.packet, input.ingress, now_, outcome_,
                     &steps);
    const auto reference = forward(state, runtime, input.packet, input.ingress, now_);
    const std::string difference = compare(outcome_, reference);
    if (!difference.empty() || runtime != runtimes_[input.node]) {
      std::string story = to_string(state);
      for (const forward::Step& step : steps)
        story += step.decision + ": " + step.because + " [" + step.state_entry + "]\n";
      ADD_FAILURE() << (difference.empty() ? "the runtimes differ" : difference) << "\nfor "
                    << forward::describe(input.packet) << " on " << state.member().name << "\n"
                    << story;
      return;
    }
    count(outcome_);
    for (const forward::Emission& emission : outcome_.emissions) {
      if (emission.egress == forward::Egress::Uplink) cross(input.node, emission);
    }
  }

  void cross(std::uint32_t from, const forward::Emission& emission) {
    forward::FabricOutcome fast;
    node::FabricRuntime runtime = fabric_runtime_;
    forward::forward(cluster_.fabric, emission.packet, from, emission.next_hop, fast, nullptr,
                     &fabric_runtime_, now_);
    const auto reference =
        forward(cluster_.fabric, emission.packet, from, emission.next_hop, &runtime, now_);
    EXPECT_EQ(runtime, fabric_runtime_);
    EXPECT_EQ(compare(fast, reference), "") << forward::describe(emission.packet) << "\n"
                                            << to_string(cluster_.fabric);
    ++decisions;
    if (fast.drop) ++drops[*fast.drop];
    if (fast.reply) waiting_.push_back({from, *fast.reply, Ingress::Uplink});
    if (!fast.drop) waiting_.push_back({fast.instance, fast.packet, Ingress::Uplink});
  }

  static void count(const forward::Outcome& outcome) {
    ++decisions;
    if (outcome.drop) ++drops[*outcome.drop];
    held += outcome.held;
    for (const forward::Emission& emission : outcome.emissions)
      replies += emission.is_reply;
  }

  testing::RandomWorld world_;
  node::testing::Cluster cluster_;
  std::vector<node::NodeRuntime> runtimes_;
  node::FabricRuntime fabric_runtime_;
  std::deque<Waiting> waiting_;
  forward::Outcome outcome_;
  Picos now_;
};

std::map<Drop, int> Differential::drops;
int Differential::decisions = 0;
int Differential::held = 0;
int Differential::replies = 0;

TEST(Differential, BothExecutorsAgreeOnEveryDecision) {
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed)
    Differential(seed).run(50);

  EXPECT_GT(Differential::decisions, 50'000);
  EXPECT_GT(Differential::held, 1'000);
  EXPECT_GT(Differential::replies, 1'000);
  // An agreement about drops that never happened would say nothing.
  for (const Drop reason : {Drop::Malformed,
                            Drop::UnsupportedProtocol,
                            Drop::NoRoute,
                            Drop::BlackholeRoute,
                            Drop::UnreachableRoute,
                            Drop::NoNeighbour,
                            Drop::NoDevice,
                            Drop::DeviceDown,
                            Drop::NotLocal,
                            Drop::TtlExpired,
                            Drop::MtuExceeded,
                            Drop::RpFilter,
                            Drop::SourceSpoofed,
                            Drop::TunnelSource,
                            Drop::TunnelUnknown,
                            Drop::EcnCorrupted,
                            Drop::FabricNoRoute,
                            Drop::FabricBlackhole,
                            Drop::FabricTtlExpired,
                            Drop::FabricMtuExceeded,
                            Drop::FabricSourceCheck,
                            Drop::FabricDestinationCheck,
                            Drop::FabricProtocolFilter,
                            Drop::FabricPacketFilter,
                            Drop::FabricFragment}) {
    EXPECT_GT(Differential::drops[reason], 20) << to_string(reason);
  }
}

}  // namespace
}  // namespace overlane::reference
