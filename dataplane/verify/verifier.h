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
  std::string difference;  ///< The first difference, in one line. Empty if the outcomes agree.
};

/// Compares the fast path, from port to port, with the byte-wise reference: the bytes of all sent
/// packets, the drop counters and the learned state.
class Verifier {
 public:
  /// For packets of up to `mtu` bytes. Needs a running Eal.
  static Parsed<Verifier> make(std::uint32_t mtu);

  /// Applies another state from `now` on. Must be called before any other function.
  Comparison change(std::shared_ptr<const dpdk::Generation> generation, Picos now);
  /// Handles a packet, which begins with its outermost IP header, after all timeouts due by `now`.
  /// `now` must not decrease.
  Comparison arrive(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// Handles the timeouts that are due by `now`.
  Comparison pass_time(Picos now);

  const node::NodeState& state() const { return *state_; }
  dpdk::ForwardCounters counters() const { return node_->forwarder().counters(); }
  /// The learned state of the reference, for example to give it initial entries.
  node::NodeRuntime& reference_runtime() { return *reference_; }

 private:
  explicit Verifier(std::unique_ptr<dpdk::LoopbackNode> node) : node_(std::move(node)) {}
  Comparison arrive_now(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// Adds to `expected` the reference's outcome for held fragments that have timed out.
  void give_up(Picos now, reference::ByteOutcome& expected);
  Comparison compare(const Parsed<std::vector<dpdk::SentPacket>>& sent,
                     reference::ByteOutcome expected);
  /// The difference in counters and learned state at this moment; each is reported once.
  std::string difference_within();

  std::unique_ptr<dpdk::LoopbackNode> node_;
  std::shared_ptr<const node::NodeState> state_;
  std::unique_ptr<node::NodeRuntime> reference_ = std::make_unique<node::NodeRuntime>();
  reference::HeldFragments fragments_;
  DropCounts drops_;          ///< The reference's drops since both last agreed …
  DropCounts counted_;        ///< … and the fast path's counters at that time.
  bool learned_same_ = true;  ///< False after their learned states differed.
};

}  // namespace overlane::verify
