#include "topologies/path/walk.h"

#include <algorithm>
#include <deque>
#include <map>

#include "topologies/path/gate.h"

namespace overlane::path {
namespace {

using forward::Egress;
using forward::Ingress;
using forward::Packet;

/// A packet about to enter a node.
struct Arrival {
  std::uint32_t node;
  Ingress ingress;
  Packet packet;
  bool is_reply = false;  ///< An ICMP error, on its way to who sent the packet.
};

constexpr std::uint8_t kWalkTtl = 64;  // Linux's net.ipv4.ip_default_ttl.

/// Carries packets of one sender, one after the other, over nodes that remember.
class Walker {
 public:
  explicit Walker(const compile::Compiled& states) : states_(states) {}

  Walk send(std::uint32_t from_node, const Packet& first) {
    Walk result;
    delivered_bytes_ = 0;
    destination_ = first.inner.destination;
    const bool from_host = node::is_local(states_.nodes[from_node], first.inner.source);
    std::deque<Arrival> arrivals{{from_node, from_host ? Ingress::Host : Ingress::Pod, first}};
    while (!arrivals.empty()) {
      const Arrival arrival = arrivals.front();
      arrivals.pop_front();
      enter(arrival, first.inner.source, result, arrivals);
    }
    const bool whole = delivered_bytes_ + first.inner.header_bytes() >= first.inner.total_length;
    if (!whole && !result.drop) result.drop = Drop::NoSuchPod;
    return result;
  }

  /// Whether the sender has heard of a packet that was too big.
  bool is_told() const { return is_told_; }

 private:
  void enter(const Arrival& arrival, IpAddress sender, Walk& result,
             std::deque<Arrival>& arrivals) {
    forward::Outcome outcome;
    std::vector<forward::Step> unseen;
    forward::forward(states_.nodes[arrival.node], runtimes_[arrival.node], arrival.packet,
                     arrival.ingress, Picos{}, outcome, arrival.is_reply ? &unseen : &result.steps);
    if (outcome.drop && !result.drop && !arrival.is_reply) result.drop = outcome.drop;
    for (const forward::Emission& emission : outcome.emissions) {
      const bool is_reply = arrival.is_reply || emission.is_reply;
      const bool at_host = emission.egress == Egress::Host &&
                           emission.packet.inner.destination == (is_reply ? sender : destination_);
      if (emission.egress == Egress::Pod || at_host) arrive(emission.packet, sender, is_reply);
      if (emission.egress != Egress::Uplink) continue;
      cross(arrival.node, emission, is_reply, result, arrivals);
    }
  }

  void arrive(const Packet& packet, IpAddress sender, bool is_reply) {
    if (!is_reply) {
      delivered_bytes_ += packet.inner.payload_bytes();
    } else if (packet.inner.destination == sender && packet.icmp) {
      is_told_ |= node::is_packet_too_big(*packet.icmp, sender.family());
    }
  }

  void cross(std::uint32_t from, const forward::Emission& emission, bool is_reply, Walk& result,
             std::deque<Arrival>& arrivals) {
    forward::FabricOutcome fabric;
    std::vector<forward::Step> unseen;
    forward::forward(states_.fabric, emission.packet, from, emission.next_hop, fabric,
                     is_reply ? &unseen : &result.steps);
    if (fabric.reply) arrivals.push_back({from, Ingress::Uplink, *fabric.reply, true});
    if (fabric.drop && !result.drop && !is_reply) result.drop = fabric.drop;
    if (!fabric.drop)
      arrivals.push_back({fabric.instance, Ingress::Uplink, fabric.packet, is_reply});
  }

  const compile::Compiled& states_;
  std::map<std::uint32_t, node::NodeRuntime> runtimes_;  ///< Of the few nodes it comes to.
  IpAddress destination_;
  std::uint32_t delivered_bytes_ = 0;
  bool is_told_ = false;
};

}  // namespace

Walk walk(const compile::Compiled& states, std::uint32_t from_node, const Packet& packet) {
  return Walker(states).send(from_node, packet);
}

Walk walk(const compile::Compiled& states, std::uint32_t from_node, IpAddress source,
          IpAddress destination, std::uint16_t ip_bytes, bool dont_fragment) {
  Packet first;
  first.inner = {.source = source,
                 .destination = destination,
                 .total_length = ip_bytes,
                 .dont_fragment = dont_fragment && source.is_ipv4(),
                 .protocol = forward::kUdp,
                 .ttl = kWalkTtl};
  return walk(states, from_node, first);
}

std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const Packet& packet) {
  // A router tells a tunnel's end of the first one, and that tells the pod of the second.
  constexpr int kAttempts = 3;
  Walker walker(states);
  Walk last;
  for (int i = 0; i < kAttempts; ++i) {
    last = walker.send(from_node, packet);
    if (last.delivered() || walker.is_told()) return std::nullopt;
  }
  if (gate_of(*last.drop) != Gate::Mtu) return std::nullopt;
  BlackHole found{.drop = *last.drop, .entries = {}};
  for (const forward::Step& step : last.steps) {
    const bool made_it = step.drop == last.drop || step.decision == "answer";
    if (made_it && !step.state_entry.empty()) found.entries.push_back(step.state_entry);
  }
  std::ranges::reverse(found.entries);  // What dropped it first, then who keeps quiet.
  return found;
}

}  // namespace overlane::path
