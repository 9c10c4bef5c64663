#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/dpdk/loopback_node.h"
#include "dataplane/reference/reference.h"

namespace overlane::verify {

// Checks the product against the oracle: sends the same packets through dpdk::LoopbackNode and
// through dataplane/reference, and compares bytes, counters and learned state.

/// "to the uplink via 10.250.0.5".
std::string to_string(const dpdk::SentPacket& packet);

/// The outcome of one packet, change or wait in both implementations.
struct Comparison {
  std::vector<dpdk::SentPacket> sent;  ///< By the fast path, port by port in order.
  reference::ByteOutcome expected;     ///< By the reference.
  bool ahead = false;                  ///< An adjacency took the packet.
  bool on_link_only = false;           ///< A message between neighbours, which is not forwarded.
  std::string difference;              ///< The first one, in one line; empty when there is none.
};

/// Holds the fast path, from port to port, against the byte-wise reference: what it sends bit by
/// bit, what it counts, and what it has learned.
class Verifier {
 public:
  /// For packets of up to `mtu` bytes. Needs a running Eal.
  static Parsed<Verifier> make(std::uint32_t mtu);

  /// Another state from now on. Also the first thing to call.
  Comparison change(std::shared_ptr<const dpdk::Generation> generation, Picos now);
  /// A packet, from its outermost IP header on, after what is due by then. `now` never goes back.
  Comparison arrive(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// What waited too long is given up.
  Comparison pass_time(Picos now);

  const node::NodeState& state() const { return *state_; }
  dpdk::ForwardCounters counters() const { return node_->forwarder().counters(); }
  /// What the reference has learned, to begin with something.
  node::NodeRuntime& reference_runtime() { return *reference_; }

 private:
  explicit Verifier(std::unique_ptr<dpdk::LoopbackNode> node) : node_(std::move(node)) {}
  Comparison arrive_now(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// What the reference makes of the fragments that it holds in vain.
  void give_up(Picos now, reference::ByteOutcome& expected);
  Comparison compare(const Parsed<std::vector<dpdk::SentPacket>>& sent,
                     reference::ByteOutcome expected);
  /// The difference in counters and learned state at this moment; each is reported once.
  std::string difference_within();

  std::unique_ptr<dpdk::LoopbackNode> node_;
  std::shared_ptr<const node::NodeState> state_;
  std::unique_ptr<node::NodeRuntime> reference_ = std::make_unique<node::NodeRuntime>();
  reference::HeldFragments fragments_;
  DropCounts drops_;          ///< By the reference, since they last agreed with the counters …
  DropCounts counted_;        ///< … which stood here then.
  bool learned_same_ = true;  ///< Whether both have learned the same by now.
};

}  // namespace overlane::verify
