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

/// The longest-prefix match of adjacency::Burst, without tables of DPDK's.
struct SlowFinder {
  const adjacency::PrefixFinder* classes;
  const adjacency::Ipv6Finder* ipv6;

  std::uint32_t operator()(std::uint32_t address) const { return (*classes)(Ipv4Address{address}); }
  std::uint32_t operator()(std::uint64_t high, std::uint64_t low) const {
    return (*ipv6)(high, low);
  }
  std::uint32_t host(std::uint64_t high, std::uint64_t low) const { return ipv6->host(high, low); }
};

/// A state with its adjacencies, each of whose link headers names the next hop.
struct Ahead {
  explicit Ahead(const node::NodeState& state);

  adjacency::Compiled compiled;
  std::unique_ptr<adjacency::LinkHeaders> links;
  adjacency::PrefixFinder classes;
  adjacency::Ipv6Finder ipv6;
};

/// What the full path made of an arrival, in the words of the byte path.
struct Rebuilt {
  reference::ByteOutcome outcome;
  bool ahead = false;  ///< An adjacency did it.
  std::vector<node::ReassemblyTable::Expired> lost_fragments;

  void sent(const byte_rewrite::Sent& sent) {
    outcome.sent.push_back(
        {sent.egress, Bytes(sent.bytes.begin(), sent.bytes.end()), sent.next_hop, sent.is_reply});
  }
  void lost(const node::ReassemblyTable::Expired& lost) { lost_fragments.push_back(lost); }
};

enum class Way : std::uint8_t { Full, AdjacenciesFirst };

/// Both byte paths of one node, each with what it has learned.
class BothPaths {
 public:
  explicit BothPaths(Way way = Way::Full) : way_(way) {}

  /// What the full path makes of a packet. Fails the test when it is not what the byte path makes
  /// of it, bit by bit, or when they have learned something else.
  Rebuilt arrive(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                 Picos now);
  /// Lets the packet arrive if an adjacency takes it. Returns whether one did.
  bool arrive_ahead(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                    Picos now);
  /// Lets time pass for held fragments.
  Rebuilt time_out(const node::NodeState& state, Picos now);

  /// After a change of the state.
  void forget_lost_devices(const node::NodeState& state) {
    node::forget_lost_devices(runtime_, state);
    node::forget_lost_devices(reference_, state);
  }

  node::NodeRuntime& runtime() { return runtime_; }
  node::NodeRuntime& reference_runtime() { return reference_; }

 private:
  /// Whether an adjacency takes the packet.
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

/// "45 00 …".
std::string hex(const Bytes& bytes);
/// One line for each packet, and for what else became of the one that arrived.
std::string text(const reference::ByteOutcome& outcome);

}  // namespace overlane::conformance::testing
