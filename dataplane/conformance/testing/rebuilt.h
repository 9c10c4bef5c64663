#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/adjacency/burst.h"
#include "dataplane/adjacency/ipv6_finder.h"
#include "dataplane/byte_rewrite/full_path.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance::testing {

using Bytes = std::vector<std::uint8_t>;

// Runs the byte rewriting path (byte_rewrite::FullPath), with or without adjacencies in front of
// it, and compares each packet with the byte path.

/// The longest-prefix match for adjacency::Burst without DPDK's tables.
struct SlowFinder {
  const adjacency::PrefixFinder* classes;
  const adjacency::Ipv6Finder* ipv6;

  std::uint32_t operator()(std::uint32_t address) const { return (*classes)(Ipv4Address{address}); }
  std::uint32_t operator()(std::uint64_t high, std::uint64_t low) const {
    return (*ipv6)(high, low);
  }
  std::uint32_t host(std::uint64_t high, std::uint64_t low) const { return ipv6->host(high, low); }
};

/// The adjacencies compiled from a state. The MAC addresses in their link headers are made from the
/// next hops, so that a test can recognise the next hop of a frame.
struct Ahead {
  explicit Ahead(const node::NodeState& state);

  adjacency::Compiled compiled;
  std::unique_ptr<adjacency::LinkHeaders> links;
  adjacency::PrefixFinder classes;
  adjacency::Ipv6Finder ipv6;
};

/// The result of the rewriting path for an arrival, in the form of the byte path's results.
struct Rebuilt {
  reference::ByteOutcome outcome;
  bool ahead = false;  ///< True if an adjacency forwarded the packet.
  std::vector<node::ReassemblyTable::Expired> lost_fragments;

  void sent(const byte_rewrite::Sent& sent) {
    outcome.sent.push_back(
        {sent.egress, Bytes(sent.bytes.begin(), sent.bytes.end()), sent.next_hop, sent.is_reply});
  }
  void lost(const node::ReassemblyTable::Expired& lost) { lost_fragments.push_back(lost); }
};

/// The executor under test: the full path alone, or adjacencies first and the full path for packets
/// that they leave.
enum class Way : std::uint8_t { Full, AdjacenciesFirst };

/// The rewriting path and the byte path of one node, each with its own runtime.
class BothPaths {
 public:
  explicit BothPaths(Way way = Way::Full) : way_(way) {}

  /// Sends a packet through both and returns the result of the rewriting path. Fails the test if
  /// results or runtimes differ in any byte or entry.
  Rebuilt arrive(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                 Picos now);
  /// Sends the packet through both if an adjacency accepts it. Returns whether one did.
  bool arrive_ahead(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                    Picos now);
  /// Expires held fragments on both sides, and compares the ICMP errors.
  Rebuilt time_out(const node::NodeState& state, Picos now);

  /// Must be called after a change of the state.
  void forget_lost_devices(const node::NodeState& state) {
    node::forget_lost_devices(runtime_, state);
    node::forget_lost_devices(reference_, state);
  }

  node::NodeRuntime& runtime() { return runtime_; }
  node::NodeRuntime& reference_runtime() { return reference_; }

 private:
  /// Tries the adjacencies. Returns whether one forwarded the packet, with the result in `rebuilt`.
  bool take(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
            Rebuilt& rebuilt);
  void compare(const Rebuilt& rebuilt, const reference::ByteOutcome& expected) const;

  Way way_;
  std::optional<Ahead> ahead_;
  // On the heap, so that a BothPaths can move.
  std::unique_ptr<adjacency::PuntFilter> exceptions_ = std::make_unique<adjacency::PuntFilter>();
  node::NodeRuntime runtime_;
  node::NodeRuntime reference_;
  byte_rewrite::FullPath path_;
  reference::HeldFragments fragments_;
};

/// The bytes as hexadecimal digits: "45 00 …".
std::string hex(const Bytes& bytes);
/// Describes an outcome: one line for each packet, for "held" and for a drop.
std::string text(const reference::ByteOutcome& outcome);

}  // namespace overlane::conformance::testing
