#include <array>
#include <deque>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/state/world.h"
#include "dataplane/reference/reference.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::reference {
namespace differential_test {

using forward::Ingress;
using forward::Packet;

/// Feeds packets to both executors, and what comes out of one node through the fabric to the next.
class Differential {
 public:
  explicit Differential(std::uint64_t seed)
      : world_(seed), cluster_(world_.cluster()), runtimes_(cluster_.nodes.size()) {
    if (seed % 2 == 0) indices_.emplace();
    for (node::NodeRuntime& runtime : runtimes_) {
      if (world_.one_in(3)) runtime.connections = node::ConntrackTable(3);
      if (world_.one_in(9)) runtime.connections = full_table();
    }
  }

  void run(int packets) {
    for (int i = 0; i < packets && !::testing::Test::HasFailure(); ++i) {
      now_ += milliseconds(static_cast<std::int64_t>(world_.below(4'000)));
      if (world_.one_in(25)) change_a_state();
      time_out();
      if (outward_ && world_.one_in(20)) leave_elsewhere();
      const Ingress ingress = std::array{Ingress::Pod, Ingress::Uplink, Ingress::Uplink,
                                         Ingress::Host}[world_.below(4)];
      const Packet packet = world_.packet(ingress == Ingress::Uplink);
      const auto at = static_cast<std::uint32_t>(world_.below(cluster_.nodes.size()));
      send_perhaps_as_fragments(at, packet, ingress);
      for (int hop = 0; hop < 40 && !waiting_.empty(); ++hop)
        next();
      waiting_.clear();
    }
  }

  static std::map<Drop, int> drops;
  static int decisions;
  static int held;
  static int replies;
  static int translated;
  static int held_back;
  static int taken_apart;
  static int timeouts;

 private:
  struct Waiting {
    std::uint32_t node;
    Packet packet;
    Ingress ingress;
  };

  /// No connection in it may be forgotten early, so none finds room.
  static node::ConntrackTable full_table() {
    node::ConntrackTable table(1);
    const node::ConntrackTuple tuple{node::testing::ip("8.8.4.4"), node::testing::ip("8.8.8.8"), 1,
                                     2, node::kTrackedTcp};
    constexpr std::uint8_t kSynAck = 0x12;
    for (const std::uint8_t flags : std::array<std::uint8_t, 3>{0x02, kSynAck, 0x10}) {
      node::Track track = table.track(flags == kSynAck ? *node::inverse(tuple) : tuple, flags, {});
      table.confirm(track, "eth0", {});
    }
    return table;
  }

  /// Packets whose fragments did not come in time.
  void time_out() {
    for (std::size_t node = 0; node < cluster_.nodes.size(); ++node) {
      for (const auto& lost : runtimes_[node].reassembly.expire(now_)) {
        node::NodeRuntime runtime = runtimes_[node];
        const auto reference = reference::time_out(cluster_.nodes[node], runtime, lost, now_);
        forward::time_out(cluster_.nodes[node], runtimes_[node], lost, now_, outcome_);
        EXPECT_EQ(compare(outcome_, reference), "");
        EXPECT_EQ(runtime, runtimes_[node]);
        timeouts += !outcome_.emissions.empty();
      }
    }
  }

  void change_a_state() {
    const std::uint64_t node = world_.below(cluster_.nodes.size());
    world_.tamper(cluster_.nodes[node]);
    node::forget_lost_devices(runtimes_[node], cluster_.nodes[node]);
  }

  /// A pod's connection to the outside is routed through another device, perhaps.
  void leave_elsewhere() {
    node::NodeState& state = cluster_.nodes[outward_->node];
    const IpAddress destination = outward_->packet.inner.destination;
    if (state.devices.empty()) return;
    node::NodeEditor(state).set_route(IpPrefix::host(destination),
                                      {.device = state.devices.back().name, .via = destination});
    waiting_.push_back(*outward_);
  }

  void send_perhaps_as_fragments(std::uint32_t at, const Packet& packet, Ingress ingress) {
    // ip6tnl never cuts the outer packet; its options would hide the protocol in later fragments.
    const bool cut = ingress == Ingress::Uplink && world_.one_in(3) &&
                     packet.outermost().total_length > 128 &&
                     packet.encapsulation != Encapsulation::Ip6Tnl;
    if (!cut) return waiting_.push_back({at, packet, ingress});
    std::vector<Waiting> fragments;
    forward::fragment(packet, static_cast<std::uint32_t>(128 + world_.below(1400)),
                      [&](const Packet& fragment) {
                        fragments.push_back({at, fragment, ingress});
                      });
    for (Waiting& fragment : fragments) {
      if (world_.one_in(20)) continue;
      const auto place = static_cast<std::ptrdiff_t>(world_.below(waiting_.size() + 1));
      waiting_.insert(waiting_.begin() + place, fragment);
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
    const auto reference = forward(state, runtime, input.packet, input.ingress, now_, indices());
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
    count(outcome_, steps);
    for (const forward::Emission& emission : outcome_.emissions) {
      if (emission.egress == forward::Egress::Uplink) cross(input.node, emission);
      answer(input, emission);
    }
  }

  /// Packets that left the cluster, or came to a pod, are answered now and then.
  void answer(const Waiting& input, const forward::Emission& emission) {
    const bool bare = !emission.packet.is_encapsulated() && !emission.packet.inner.is_fragment();
    if (!bare || emission.egress == forward::Egress::Host || world_.one_in(2)) return;
    const bool from_pod = emission.egress == forward::Egress::Pod;
    if (input.ingress == Ingress::Pod && !from_pod) outward_ = input;
    waiting_.push_back(
        {input.node, world_.answer_to(emission.packet), from_pod ? Ingress::Pod : Ingress::Uplink});
  }

  void cross(std::uint32_t from, const forward::Emission& emission) {
    forward::FabricOutcome fast;
    node::FabricRuntime runtime = fabric_runtime_;
    forward::forward(cluster_.fabric, emission.packet, from, emission.next_hop, fast, nullptr,
                     &fabric_runtime_, now_);
    const auto reference = forward(cluster_.fabric, emission.packet, from, emission.next_hop,
                                   &runtime, now_, indices());
    EXPECT_EQ(runtime, fabric_runtime_);
    EXPECT_EQ(compare(fast, reference), "") << forward::describe(emission.packet) << "\n"
                                            << to_string(cluster_.fabric);
    ++decisions;
    if (fast.drop) ++drops[*fast.drop];
    if (fast.reply) waiting_.push_back({from, *fast.reply, Ingress::Uplink});
    if (!fast.drop) waiting_.push_back({fast.instance, fast.packet, Ingress::Uplink});
  }

  /// Indices for the byte path in half of the worlds.
  TableIndices* indices() { return indices_ ? &*indices_ : nullptr; }

  static void count(const forward::Outcome& outcome, const std::vector<forward::Step>& steps) {
    ++decisions;
    for (const forward::Step& step : steps) {
      translated += step.decision == "translate";
      held_back += step.decision == "hold back";
      taken_apart += step.because.find("fragments that it came in") != std::string::npos;
    }
    if (outcome.drop) ++drops[*outcome.drop];
    held += outcome.held.has_value();
    for (const forward::Emission& emission : outcome.emissions)
      replies += emission.is_reply;
  }

  testing::RandomWorld world_;
  node::testing::Cluster cluster_;
  std::vector<node::NodeRuntime> runtimes_;
  node::FabricRuntime fabric_runtime_;
  std::deque<Waiting> waiting_;
  std::optional<Waiting> outward_;  ///< What a pod sent to the outside last.
  forward::Outcome outcome_;
  std::optional<TableIndices> indices_;
  Picos now_;
};

std::map<Drop, int> Differential::drops;
int Differential::decisions = 0;
int Differential::held = 0;
int Differential::replies = 0;
int Differential::translated = 0;
int Differential::held_back = 0;
int Differential::taken_apart = 0;
int Differential::timeouts = 0;

TEST(Differential, BothExecutorsAgreeOnEveryDecision) {
  for (std::uint64_t seed = 1; seed <= 2000 && !HasFailure(); ++seed)
    Differential(seed).run(50);

  EXPECT_GT(Differential::decisions, 50'000);
  EXPECT_GT(Differential::held, 1'000);
  EXPECT_GT(Differential::replies, 1'000);
  EXPECT_GT(Differential::translated, 1'000);
  EXPECT_GT(Differential::held_back, 100);
  EXPECT_GT(Differential::taken_apart, 100);
  EXPECT_GT(Differential::timeouts, 100);
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
                            Drop::ReceiveMtuExceeded,
                            Drop::RpFilter,
                            Drop::SourceSpoofed,
                            Drop::TunnelSource,
                            Drop::TunnelUnknown,
                            Drop::AllowedIps,
                            Drop::EcnCorrupted,
                            Drop::ConntrackFull,
                            Drop::NatExhausted,
                            Drop::NatDeviceChanged,
                            Drop::NoEndpoints,
                            Drop::FabricNoRoute,
                            Drop::FabricBlackhole,
                            Drop::FabricForeignInstance,
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

}  // namespace differential_test
}  // namespace overlane::reference
