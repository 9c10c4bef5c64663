#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/forward/state_lookup.h"
#include "dataplane/rebuild/full_path.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance::testing {

using Bytes = std::vector<std::uint8_t>;

/// What the full path made of an arrival, in the words of the byte path.
struct Rebuilt {
  reference::ByteOutcome outcome;
  std::vector<node::ReassemblyTable::Expired> lost_pieces;

  void sent(const rebuild::Sent& sent) {
    outcome.sent.push_back(
        {sent.egress, Bytes(sent.bytes.begin(), sent.bytes.end()), sent.next_hop, sent.is_reply});
  }
  void lost(const node::ReassemblyTable::Expired& lost) { lost_pieces.push_back(lost); }
};

/// Both byte paths of one node, each with what it has learnt.
class BothPaths {
 public:
  /// What the full path makes of a packet. Fails the test when it is not what the byte path makes
  /// of it, bit by bit, or when they have learnt something else.
  Rebuilt arrive(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                 Picos now);
  /// The same of the time itself.
  Rebuilt time_out(const node::NodeState& state, Picos now);

  node::NodeRuntime& runtime() { return runtime_; }
  node::NodeRuntime& reference_runtime() { return reference_; }

 private:
  void compare(const Rebuilt& rebuilt, const reference::ByteOutcome& expected) const;

  node::NodeRuntime runtime_;
  node::NodeRuntime reference_;
  rebuild::FullPath path_;
  reference::HeldPieces pieces_;
};

/// "45 00 …".
std::string hex(const Bytes& bytes);
/// One line for each packet, and for what else became of the one that arrived.
std::string text(const reference::ByteOutcome& outcome);

}  // namespace overlane::conformance::testing
