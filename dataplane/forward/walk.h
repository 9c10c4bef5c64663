#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "dataplane/forward/walker.h"

namespace overlane::forward {

/// What became of one packet.
struct Walk {
  std::optional<Drop> drop;  ///< The first; nothing when all of it reached the destination.
  std::vector<Step> steps;
  std::vector<std::uint32_t> nodes;  ///< That it, or a fragment of it, entered, in order.
  /// What the fabric was asked for: outermost destinations and next hops.
  std::vector<IpAddress> asked;
  /// What nodes looked up routes for; only with WalkOptions::outcome_only.
  std::vector<IpAddress> looked_up;
  std::vector<std::uint32_t> routed_to;  ///< FabricOutcome::routed_to, in order.
  Packet packet;                         ///< As it, or its last fragment, left the last node.

  bool delivered() const { return !drop.has_value(); }
};

/// How a WalkSender walks.
struct WalkOptions {
  /// Only the outcome is of interest: no steps, every packet meets nodes that have learned nothing,
  /// and it ends with its first drop, without ICMP errors. The outcome is that of walk().
  bool outcome_only = false;
  const node::InstanceOwners* owners = nullptr;      ///< As for forward(), of the fabric at hand.
  const std::set<std::uint32_t>* stopped = nullptr;  ///< World::stopped; null: all nodes run.
};

/// A sender of packets, one after the other, over nodes that remember and a fabric that does not.
class WalkSender {
 public:
  /// Refers to all of them.
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
  std::map<std::uint32_t, node::NodeRuntime> runtimes_;  ///< Of the few nodes that packets enter.
  Outcome outcome_;                                      ///< Of the node at hand.
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
