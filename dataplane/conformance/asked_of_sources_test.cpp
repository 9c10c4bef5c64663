#include <algorithm>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::conformance {
namespace asked_of_sources_test {

using adjacency::AddressClass;
using forward::Ingress;
using forward::Packet;
using node::NodeState;

enum class Question : std::uint8_t { Route, IsLocal, IsMember, ReceivingDevice };

/// One thing that the decision asked about the source of a packet, and what it heard, as far as the
/// sources of a group may share it: of a route, where it leads, but not the prefix that found it.
struct Asked {
  Question question = Question::Route;
  bool has_answer = false;
  node::RouteKind kind = node::RouteKind::Unicast;
  node::DeviceName device;

  auto operator<=>(const Asked&) const = default;
};

/// The tables of a state, and a record of what was asked about `source`.
class RecordingLookup : public forward::StateLookup {
 public:
  RecordingLookup(const NodeState& state, IpAddress source) : StateLookup(state), source_(source) {}

  auto route(IpAddress address) const {
    const auto match = StateLookup::route(address);
    Asked asked{Question::Route, match.has_value()};
    if (match) asked.kind = match->route.kind;
    // Each pod has a device of its own, where nothing else comes in.
    if (match && match->pod == nullptr) asked.device = match->route.device;
    if (match) next_hops_.push_back(match->route.via.value_or(address));
    note(address, asked);
    return match;
  }
  bool is_local(IpAddress address) const {
    return note(address, {Question::IsLocal, StateLookup::is_local(address)});
  }
  bool is_member(IpAddress address) const {
    return note(address, {Question::IsMember, StateLookup::is_member(address)});
  }
  /// Is for next hops, whoever else has the address.
  const node::Member* neighbour(IpAddress address) const {
    EXPECT_GT(std::ranges::count(next_hops_, address), 0);
    return StateLookup::neighbour(address);
  }
  const node::Device* receiving_device(const node::TunnelKey& key) const {
    const node::Device* device = StateLookup::receiving_device(key);
    Asked asked{Question::ReceivingDevice, device != nullptr};
    if (device != nullptr) asked.device = device->name;
    note(key.source, asked);
    return device;
  }

  const std::vector<Asked>& asked() const { return asked_; }

 private:
  bool note(IpAddress address, const Asked& asked) const {
    if (address == source_) asked_.push_back(asked);
    return asked.has_answer;
  }

  IpAddress source_;
  mutable std::vector<IpAddress> next_hops_;  ///< Next hops of all routes found.
  mutable std::vector<Asked> asked_;
};

/// What becomes of a packet that the node has not seen the like of, without its source.
struct Fate {
  std::vector<Asked> asked;
  std::optional<Drop> drop;
  bool is_remembered = false;  ///< The node remembers a connection that matters to later packets.
  std::vector<forward::Emission> emissions;

  bool operator==(const Fate&) const = default;
};

Fate fate_of(const NodeState& state, const Packet& packet, Ingress ingress) {
  const RecordingLookup lookup(state, packet.outermost().source);
  node::NodeRuntime runtime;
  forward::NoObserver observer;
  forward::Outcome outcome;
  forward::NodeDecision(lookup, observer, runtime, Picos{}, outcome).run(packet, ingress);
  const bool is_remembered =
      !std::ranges::all_of(runtime.connections.connections(), adjacency::has_no_effect);
  Fate fate{lookup.asked(), outcome.drop, is_remembered, std::move(outcome.emissions)};
  for (forward::Emission& emission : fate.emissions) {
    emission.packet.inner.source = {};
    // Hashes of the flow.
    emission.packet.outer_source_port = 0;
    emission.packet.outer.flow_label = 0;
  }
  return fate;
}

/// Printed by a failed test.
void PrintTo(const Fate& fate, std::ostream* out) {
  for (const Asked& asked : fate.asked) {
    *out << "asked " << static_cast<int>(asked.question) << ": " << asked.has_answer << ' '
         << static_cast<int>(asked.kind) << ' ' << asked.device.view() << "; ";
  }
  *out << (fate.drop ? to_string(*fate.drop) : "no drop");
  for (const forward::Emission& emission : fate.emissions) {
    *out << "; " << describe(emission.packet) << " by " << static_cast<int>(emission.egress)
         << " to " << emission.next_hop.to_string();
  }
}

/// Whether an adjacency could stand for it: nothing is dropped, answered, cut or translated.
bool is_one_and_untouched(const Fate& fate) {
  return !fate.drop && !fate.is_remembered && fate.emissions.size() == 1 &&
         !fate.emissions[0].is_reply;
}

/// Whether the packet leaves towards its own source, about which more is asked then.
bool leads_to(const Fate& fate, IpAddress source) {
  return std::ranges::any_of(fate.emissions, [=](const forward::Emission& emission) {
    return emission.next_hop == source || emission.packet.outer.destination == source;
  });
}

std::vector<Packet> bare(IpAddress source, IpAddress destination) {
  Packet datagram{.inner = {.source = source,
                            .destination = destination,
                            .total_length = 60,
                            .protocol = forward::kUdp},
                  .source_port = 40'000,
                  .destination_port = 5'201};
  Packet segment = datagram;
  segment.inner.protocol = forward::kTcp;
  segment.tcp_flags = 0x10;
  return {datagram, segment};
}

/// Through each of the node's tunnels, to one of its pods.
std::vector<Packet> tunnelled(const NodeState& state, IpAddress source) {
  std::vector<Packet> packets;
  for (const node::Device& device : state.devices) {
    const Encapsulation encapsulation = device.encapsulation();
    const bool is_sealed = encapsulation == Encapsulation::Wireguard;
    if (encapsulation == Encapsulation::None || is_sealed) continue;
    const auto own = state.address(source.family());
    if (!own || !runs_over(encapsulation, source.family())) continue;
    for (const node::LocalPod& pod : state.pods) {
      if (!carries(encapsulation, pod.address.family())) continue;
      const bool ipv4 = pod.address.is_ipv4();
      Packet packet =
          bare(ipv4 ? node::testing::pod(1) : node::testing::pod_v6(1), pod.address).front();
      encapsulate(packet, encapsulation,
                  {.source = source,
                   .destination = *own,
                   .vni = device.vni,
                   .destination_port = device.udp_port});
      packets.push_back(packet);
    }
  }
  return packets;
}

/// Addresses by the group of sources that they are in, as far as they have one of their own.
std::map<std::pair<Family, std::uint8_t>, std::vector<IpAddress>> by_group(
    const std::vector<AddressClass>& classes) {
  const adjacency::PrefixFinder find(classes);
  std::map<std::pair<Family, std::uint8_t>, std::vector<IpAddress>> groups;
  for (const AddressClass& one : classes) {
    for (const IpAddress address : {one.sample, one.sample + 1, one.prefix.network()}) {
      const std::uint8_t group = classes[find(address)].group.value;
      if (group + 1u < adjacency::kSourceGroups)
        groups[{address.family(), group}].push_back(address);
    }
  }
  return groups;
}

std::vector<IpAddress> destinations(const NodeState& state, Family family) {
  std::vector<IpAddress> all;
  for (const node::Member& member : state.cluster->members()) {
    const node::MemberAddresses& addresses = *member.in(family);
    all.push_back(addresses.node);
    all.push_back(addresses.tunnel + 9);
    all.push_back(addresses.tunnel + 15);
  }
  all.push_back(node::testing::ip(family == Family::Ipv4 ? "8.8.8.8" : "2001:db8::8"));
  return all;
}

constexpr std::uint64_t kWorlds = 400;

/// Adjacencies are made for one source of each group: the decision must not be able to tell the
/// others from it. What it asks about a source is written down here; a new question, or one about
/// more of an answer than the groups keep apart, shows.
TEST(SourceGroups, HearTheSameAnswersToAllThatTheDecisionAsks) {
  std::map<Question, int> questions;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const NodeState state = reference::testing::RandomWorld(seed).cluster().nodes[0];
    for (const auto& [key, sources] : by_group(adjacency::address_classes(state))) {
      const auto packets_from = [&, family = key.first](IpAddress source) {
        std::vector<Packet> packets = tunnelled(state, source);
        for (const IpAddress destination : destinations(state, family)) {
          for (const Packet& packet : bare(source, destination))
            packets.push_back(packet);
        }
        return packets;
      };
      const std::vector<Packet> first = packets_from(sources.front());
      for (const IpAddress source : sources) {
        const std::vector<Packet> packets = packets_from(source);
        ASSERT_EQ(packets.size(), first.size());
        for (std::size_t i = 0; i < packets.size(); ++i) {
          const IpAddress destination = packets[i].outermost().destination;
          if (destination == source || destination == sources.front()) continue;
          for (const Ingress ingress : {Ingress::Pod, Ingress::Uplink}) {
            Fate expected = fate_of(state, first[i], ingress);
            Fate fate = fate_of(state, packets[i], ingress);
            for (const Asked& asked : fate.asked)
              ++questions[asked.question];
            if (!is_one_and_untouched(expected) && !is_one_and_untouched(fate)) continue;
            if (leads_to(fate, source) || leads_to(expected, sources.front())) continue;
            for (Fate* either : {&expected, &fate}) {
              for (forward::Emission& emission : either->emissions)
                emission.packet.outer.source = {};
            }
            ++compared;
            ASSERT_EQ(fate, expected)
                << "seed " << seed << ": " << source.to_string() << " is not as "
                << sources.front().to_string() << " towards " << destination.to_string();
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 10'000);
  EXPECT_GT(questions[Question::Route], 0);
  EXPECT_GT(questions[Question::IsLocal], 0);
  EXPECT_GT(questions[Question::IsMember], 0);
  EXPECT_GT(questions[Question::ReceivingDevice], 0);
}

/// The classes answer as the tables do, for every address in them.
TEST(AddressClasses, AnswerAsTheTablesDo) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const NodeState state = reference::testing::RandomWorld(seed).cluster().nodes[0];
    const auto classes = adjacency::address_classes(state);
    const adjacency::PrefixFinder find(classes);
    const adjacency::ClassLookup by_class(state, classes, find);
    const forward::StateLookup by_table(state);
    for (const AddressClass& one : classes) {
      for (const IpAddress address : {one.sample, one.sample + 1, one.prefix.network()}) {
        const auto match = by_table.route(address);
        const auto& of_class = by_class.route(address);
        ASSERT_EQ(of_class.has_value(), match.has_value()) << address.to_string();
        if (match) {
          EXPECT_EQ(of_class->destination, match->destination) << address.to_string();
          EXPECT_EQ(of_class->route, match->route) << address.to_string();
          EXPECT_EQ(of_class->pod, match->pod) << address.to_string();
        }
        EXPECT_EQ(by_class.is_local(address), by_table.is_local(address)) << address.to_string();
        EXPECT_EQ(by_class.is_member(address), by_table.is_member(address)) << address.to_string();
      }
    }
  }
}

}  // namespace asked_of_sources_test
}  // namespace overlane::conformance
