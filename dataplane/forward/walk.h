#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dataplane/forward/forward.h"

namespace overlane::forward {

// Walks a packet from node to node until it is delivered or dropped. Walker is the loop and makes
// the fabric's decisions; its Carrier makes the nodes' decisions. WalkSender is the Carrier that
// decides with the model. walk() walks a single packet. A WalkSender keeps the runtimes of nodes
// between its packets. Nodes, fabric and options must outlive it.

/// A packet between two decisions. `Load` is the data that the carrier attaches to the packet, such
/// as its bytes.
template <typename Load>
struct InTransit {
  std::uint32_t node = 0;  ///< The node that the packet enters, or has just left.
  Ingress ingress = Ingress::Pod;
  Load load;
  std::optional<Emission> crossing;  ///< Set if the packet has just left the node into the fabric.
};

/// Moves packets node → fabric → node to their ends. Walker decides in the fabric. A Carrier has
/// the nodes, real or modelled, and observes:
///   void enter(InTransit<Load>)
///       decides at a node, and pushes the packets that leave it into the fabric with `crossing`
///       set;
///   std::optional<Load> crossed(InTransit<Load>&, FabricOutcome&, std::vector<Step>&)
///       sees the fabric's decision, and may change the packet that enters the next node. It
///       returns the load of the ICMP error to the sender, if there is one.
///
/// Each packet reaches its end before the next one moves.
template <typename Load>
class Walker {
 public:
  using Packets = std::vector<InTransit<Load>>;

  /// Without a `runtime` the fabric judges every packet alone. `owners` as for forward(). If
  /// `has_steps` is false, the Carrier gets empty lists of steps. Fabric, runtime and owners must
  /// outlive the Walker.
  explicit Walker(const node::FabricState& fabric, node::FabricRuntime* runtime = nullptr,
                  const node::InstanceOwners* owners = nullptr, bool has_steps = true)
      : fabric_(fabric), runtime_(runtime), owners_(owners), has_steps_(has_steps) {}

  /// Adds packets in front of all waiting ones. The first of them moves next.
  void push(Packets packets) {
    waiting_.insert(waiting_.end(), std::move_iterator(packets.rbegin()),
                    std::move_iterator(packets.rend()));
  }
  /// Adds a packet in front of all waiting ones.
  void push(InTransit<Load> packet) { waiting_.push_back(std::move(packet)); }

  /// Moves packets until none is in transit.
  template <typename Carrier>
  void run(Carrier& carrier, Picos now = {}) {
    while (!waiting_.empty()) {
      InTransit<Load> next = std::move(waiting_.back());
      waiting_.pop_back();
      if (next.crossing) {
        cross(carrier, std::move(next), now);
      } else {
        carrier.enter(std::move(next));
      }
    }
  }

  /// Moves a packet that has left its node to the next one.
  template <typename Carrier>
  void cross(Carrier& carrier, InTransit<Load> packet, Picos now = {}) {
    const Emission sent = *std::exchange(packet.crossing, std::nullopt);
    FabricOutcome outcome;
    std::vector<Step> steps;
    forward(fabric_, sent.packet, packet.node, sent.next_hop, outcome,
            has_steps_ ? &steps : nullptr, runtime_, now, owners_);
    if (auto error = carrier.crossed(packet, outcome, steps))
      waiting_.push_back({packet.node, Ingress::Uplink, *std::move(error), std::nullopt});
    if (outcome.drop) return;
    packet.node = outcome.instance;
    packet.ingress = Ingress::Uplink;
    waiting_.push_back(std::move(packet));
  }

  /// Removes and returns the packets that wait to enter a node, in the order in which they crossed
  /// the fabric. For a carrier that decides about many packets at once.
  Packets take() { return std::exchange(waiting_, {}); }

  /// Discards all packets in transit.
  void clear() { waiting_.clear(); }

 private:
  const node::FabricState& fabric_;
  node::FabricRuntime* runtime_;
  const node::InstanceOwners* owners_;
  bool has_steps_;
  Packets waiting_;  ///< A stack: the last one moves next.
};

/// The result of one packet's walk.
struct Walk {
  /// Reason of the first drop; nothing if the whole packet was delivered.
  std::optional<Drop> drop;
  std::vector<Step> steps;
  std::vector<std::uint32_t>
      nodes;  ///< Nodes that the packet or a fragment of it entered, in order.
  /// Addresses that the fabric looked up: outermost destinations and next hops.
  std::vector<IpAddress> fabric_lookups;
  /// Addresses that nodes looked up routes for; filled only with WalkOptions::outcome_only.
  std::vector<IpAddress> looked_up;
  std::vector<std::uint32_t> routed_to;  ///< FabricOutcome::routed_to, in order.
  Packet packet;  ///< The packet, or its last fragment, as it left the last node.

  bool delivered() const { return !drop.has_value(); }
};

/// Options of a WalkSender.
struct WalkOptions {
  /// Computes the outcome only, which equals that of walk(): no steps, fresh node runtimes for
  /// every packet, and a packet ends with its first drop, without ICMP errors.
  bool outcome_only = false;
  const node::InstanceOwners* owners =
      nullptr;  ///< Owners of the fabric's addresses, as for forward().
  const std::set<std::uint32_t>* stopped = nullptr;  ///< World::stopped; null: all nodes run.
};

/// Sends packets one after the other. The nodes keep their runtimes between packets, the fabric has
/// none.
class WalkSender {
 public:
  /// `nodes`, `fabric` and the objects that `options` points to must outlive this object.
  WalkSender(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
             const WalkOptions& options = {})
      : nodes_(nodes),
        options_(options),
        walker_(fabric, nullptr, options.owners, !options.outcome_only) {}

  /// Sends a packet from a pod of the node, or from the node itself if the source is one of its
  /// addresses. A packet that loops ends by its TTL; ICMP errors walk back to the sender. The
  /// result is valid until the next call.
  const Walk& send(std::uint32_t from_node, const Packet& packet);

  /// Returns whether the sender got an ICMP error that a packet was too big.
  bool got_packet_too_big() const { return got_packet_too_big_; }

  /// The Carrier interface, which the Walker calls.
  struct Load {
    Packet packet;
    bool is_reply = false;  ///< An ICMP error, on its way to the sender.
  };
  void enter(const InTransit<Load>& transit);
  std::optional<Load> crossed(InTransit<Load>& transit, FabricOutcome& outcome,
                              std::vector<Step>& steps);

 private:
  void decide(const InTransit<Load>& transit);
  void drop(Drop reason);
  void arrive(const Packet& packet, bool is_reply);

  std::span<const node::NodeState> nodes_;
  WalkOptions options_;
  Walker<Load> walker_;
  std::map<std::uint32_t, node::NodeRuntime>
      runtimes_;     ///< Runtimes of the nodes that packets have entered.
  Outcome outcome_;  ///< Outcome of the latest decision.
  Walk walk_;
  IpAddress source_;
  IpAddress destination_;
  std::uint32_t delivered_bytes_ = 0;
  bool got_packet_too_big_ = false;
};

/// Walks one packet with fresh runtimes.
Walk walk(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
          std::uint32_t from_node, const Packet& packet);

}  // namespace overlane::forward
