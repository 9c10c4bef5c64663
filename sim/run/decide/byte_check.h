#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dataplane/forward/forward.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/reference/table_index.h"
#include "results/model/run_report.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// One packet in this many is sampled: low enough that the random sample is at least one packet in
/// 1,000. Runs with more nodes than this sample one packet per number of nodes, because the byte
/// path scans the tables of all nodes after each change.
inline constexpr std::uint64_t kSampling = 900;
/// Approximate number of flows whose first packets under each state are also sampled.
inline constexpr std::uint64_t kFirstOfFlows = 4096;

/// Compares decisions about a sample of the packets with the decisions of dataplane/reference,
/// which works on bytes. Changes no result. One partition owns a ByteCheck and is its only user.
class ByteCheck {
 public:
  ByteCheck(std::uint64_t seed, std::size_t nodes, std::size_t ends);

  /// Whether the `number`th packet of this sender is in the sample. All runs with one seed sample
  /// the same packets.
  bool samples(EndpointId sender, std::int64_t number) const {
    const std::uint64_t packet = std::uint64_t{sender} << 40 ^ static_cast<std::uint64_t>(number);
    return murmur_mix(key_ ^ packet) <= last_sampled_;
  }
  /// Whether the first packet of this sender under each state is in the sample.
  bool samples_first(EndpointId sender) const {
    return murmur_mix(key_ + sender / 2) <= last_first_;
  }

  /// The byte path's outcome for a packet.
  struct Expected {
    forward::Outcome outcome;
    node::NodeRuntime learned;  ///< Without connections: they may be many.
    std::map<node::ConntrackTuple, std::optional<node::Connection>> connections;  ///< Changed ones.
  };
  /// Expected outcome for a packet. Call it before the node decides. Leaves `runtime` unchanged.
  Expected expect(const node::NodeState& state, node::NodeRuntime& runtime,
                  const forward::Packet& packet, forward::Ingress ingress, Picos now);
  /// Expected outcome for a packet whose fragments have timed out.
  static Expected expect(const node::NodeState& state, node::NodeRuntime& runtime,
                         const node::ReassemblyTable::Expired& lost, Picos now);
  /// Compares with the node's decision and with the state that the node has learned from it. The
  /// node's connections must have a checkpoint from before the decision.
  void node(const node::NodeState& state, const Expected& expected, node::NodeRuntime& runtime,
            const forward::Outcome& decided);
  /// `before`: the fabric's learned state before the decision. All calls must be about one fabric.
  void fabric(const node::FabricState& state, node::FabricRuntime& before,
              const forward::Packet& packet, std::uint32_t from, IpAddress next_hop, Picos now,
              const forward::FabricOutcome& decided);

  /// `decisions` were equal to earlier ones, which agreed.
  void repeat(std::int64_t decisions) { counts_.checked += decisions; }
  /// A cached decision of the node or fabric `place` differs from a new one.
  void kept_differs(const std::string& place) { count(place, "a decision was kept too long"); }

  /// Decisions compared, and how many of them differed.
  const model::BytePath& counts() const { return counts_; }
  /// The first difference in one line; empty if there is none.
  const std::string& first_mismatch() const { return first_mismatch_; }

 private:
  template <typename Decide>
  static Expected expect(node::NodeRuntime& runtime, Decide decide);
  void count(const std::string& place, const std::string& difference);

  std::uint64_t key_;           ///< Key of the hashes that choose packets and flows.
  std::uint64_t last_sampled_;  ///< Largest hash of a packet in the sample.
  std::uint64_t last_first_;    ///< Largest hash of a flow in the sample.
  model::BytePath counts_;
  std::string first_mismatch_;
  reference::TableIndices indices_;
};

}  // namespace overlane::run
