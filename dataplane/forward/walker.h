#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/forward/forward.h"

namespace overlane::forward {

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

}  // namespace overlane::forward
