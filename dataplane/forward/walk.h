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

// Walks a packet from node to node until it is delivered or dropped. Walker is the loop, with
// the fabric's decision built in; its Carrier decides at the nodes. WalkSender is the Carrier
// that uses the model for nodes, and walk() is the call for one packet. A WalkSender keeps the
// runtimes of nodes between its packets; nodes, fabric and options must outlive it.

/// A packet between two decisions. `Load` is what its carrier keeps with it, such as its bytes.
template <typename Load>
struct InTransit {
  std::uint32_t node = 0;  ///< The one that it enters, or has just left.
  Ingress ingress = Ingress::Pod;
  Load load;
  std::optional<Emission> crossing;  ///< It has just left the node into the fabric.
};

/// Moves packets node → fabric → node to their ends. The fabric decides here; a Carrier has the
/// nodes, real or modelled, and observes:
///   void enter(InTransit<Load>)
///       decides at a node, and pushes what leaves it into the fabric with `crossing` set;
///   std::optional<Load> crossed(InTransit<Load>&, FabricOutcome&, std::vector<Step>&)
///       sees what the fabric decided, and may change what enters the next node. It returns the
///       load of the ICMP error to the sender, when there is one.
/// Each packet goes to its end before the next one moves.
template <typename Load>
class Walker {
 public:
  using Packets = std::vector<InTransit<Load>>;

  /// Without a `runtime` the fabric judges every packet alone; `owners` as for forward(). Without
  /// steps a Carrier gets an empty list of them.
  explicit Walker(const node::FabricState& fabric, node::FabricRuntime* runtime = nullptr,
                  const node::InstanceOwners* owners = nullptr, bool has_steps = true)
      : fabric_(fabric), runtime_(runtime), owners_(owners), has_steps_(has_steps) {}

  /// The first of them moves next.
  void push(Packets packets) {
    waiting_.insert(waiting_.end(), std::move_iterator(packets.rbegin()),
                    std::move_iterator(packets.rend()));
  }
  /// It moves next.
  void push(InTransit<Load> packet) { waiting_.push_back(std::move(packet)); }

  /// Until nothing is in transit.
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

  /// Hands over what waits to enter a node, in the order in which it crossed: for a carrier that
  /// decides about many packets at once.
  Packets take() { return std::exchange(waiting_, {}); }

  /// Forgets what is in transit.
  void clear() { waiting_.clear(); }

 private:
  const node::FabricState& fabric_;
  node::FabricRuntime* runtime_;
  const node::InstanceOwners* owners_;
  bool has_steps_;
  Packets waiting_;  ///< A stack.
};

/// What became of one packet.
struct Walk {
  std::optional<Drop> drop;  ///< The first; nothing when all of it reached the destination.
  std::vector<Step> steps;
  std::vector<std::uint32_t>
      nodes;  ///< Nodes that the packet, or a fragment of it, entered, in order.
  /// What the fabric was asked for: outermost destinations and next hops.
  std::vector<IpAddress> asked;
  /// What nodes looked up routes for; only with WalkOptions::outcome_only.
  std::vector<IpAddress> looked_up;
  std::vector<std::uint32_t> routed_to;  ///< FabricOutcome::routed_to, in order.
  Packet packet;  ///< The packet, or its last fragment, as it left the last node.

  bool delivered() const { return !drop.has_value(); }
};

/// How a WalkSender walks.
struct WalkOptions {
  /// Only the outcome is of interest: no steps, every packet meets nodes that have learned nothing,
  /// and it ends with its first drop, without ICMP errors. The outcome is that of walk().
  bool outcome_only = false;
  const node::InstanceOwners* owners =
      nullptr;  ///< Owners of the fabric's addresses, as for forward().
  const std::set<std::uint32_t>* stopped = nullptr;  ///< World::stopped; null: all nodes run.
};

/// A sender of packets, one after the other, over nodes that remember and a fabric that does not.
class WalkSender {
 public:
  /// `nodes`, `fabric` and what `options` points to must outlive this object.
  WalkSender(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
             const WalkOptions& options = {})
      : nodes_(nodes),
        options_(options),
        walker_(fabric, nullptr, options.owners, !options.outcome_only) {}

  /// From a pod of that node, or from the node itself where the source is an address of its own.
  /// A packet that loops ends by its TTL; ICMP errors walk back to the sender. Good until the next.
  const Walk& send(std::uint32_t from_node, const Packet& packet);

  /// Whether the sender got an ICMP error that a packet was too big.
  bool is_told() const { return is_told_; }

  /// For the Walker.
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
      runtimes_;     ///< Runtimes of the few nodes that packets enter.
  Outcome outcome_;  ///< Outcome at the node at hand.
  Walk walk_;
  IpAddress source_;
  IpAddress destination_;
  std::uint32_t delivered_bytes_ = 0;
  bool is_told_ = false;
};

/// Walks one packet with fresh runtimes.
Walk walk(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
          std::uint32_t from_node, const Packet& packet);

}  // namespace overlane::forward
