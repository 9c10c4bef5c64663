#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/forward/walker.h"

namespace overlane::forward {

/// What became of one packet.
struct Walk {
  std::optional<Drop> drop;  ///< The first; nothing when all of it reached the destination.
  std::vector<Step> steps;
  std::vector<std::uint32_t> nodes;  ///< That it, or a fragment of it, entered, in order.
  Packet packet;                     ///< As it, or its last fragment, left the last node.

  bool delivered() const { return !drop.has_value(); }
};

/// A sender of packets, one after the other, over nodes that remember and a fabric that does not.
class WalkSender {
 public:
  /// Refers to both.
  WalkSender(std::span<const node::NodeState> nodes, const node::FabricState& fabric)
      : nodes_(nodes), walker_(fabric) {}

  /// From a pod of that node, or from the node itself where the source is an address of its own.
  /// A packet that loops ends by its TTL; ICMP errors walk back to the sender.
  Walk send(std::uint32_t from_node, const Packet& packet);

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
  void arrive(const Packet& packet, bool is_reply);

  std::span<const node::NodeState> nodes_;
  Walker<Load> walker_;
  std::map<std::uint32_t, node::NodeRuntime> runtimes_;  ///< Of the few nodes that packets enter.
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
