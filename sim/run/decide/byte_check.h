#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dataplane/forward/forward.h"
#include "dataplane/net/flow_hash.h"
#include "results/model/run_report.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

/// One packet in this many goes through the byte path, so that by chance no less than one in 1,000
/// does. With more nodes than this, one in as many as there are nodes: the byte path scans tables
/// of all nodes.
inline constexpr std::uint64_t kSampling = 900;
/// In addition, the first packets of both ends of each flow, of about this many flows at most.
inline constexpr std::uint64_t kFirstOfFlows = 4096;

/// Compares decisions about a sample of the packets with those of dataplane/reference, which works
/// on bytes. Changes no result.
class ByteCheck {
 public:
  ByteCheck(std::uint64_t seed, std::size_t nodes, std::size_t ends);

  /// Whether the `number`th packet of this sender is in the sample; the same in every run of a
  /// seed.
  bool samples(EndpointId sender, std::int64_t number) const {
    const std::uint64_t packet = std::uint64_t{sender} << 40 ^ static_cast<std::uint64_t>(number);
    return murmur_mix(key_ ^ packet) <= last_sampled_;
  }
  /// Whether the first packet of this sender under each state is looked at.
  bool samples_first(EndpointId sender) const {
    return murmur_mix(key_ + sender / 2) <= last_first_;
  }

  /// What the byte path makes of a packet.
  struct Expected {
    forward::Outcome outcome;
    node::NodeRuntime learned;  ///< But for the connections, of which there may be many.
    std::map<node::ConntrackTuple, std::optional<node::Connection>> connections;  ///< Changed ones.
  };
  /// To be asked before the node decides. Leaves `runtime` as it is.
  static Expected expect(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now);
  /// Expected outcome for a packet of which fragments are missing when its time is up.
  static Expected expect(const node::NodeState& state, node::NodeRuntime& runtime,
                         const node::ReassemblyTable::Expired& lost, Picos now);
  /// Compares with what the node decided and has learned from it; its connections must have a
  /// checkpoint from before.
  void node(const node::NodeState& state, const Expected& expected, node::NodeRuntime& runtime,
            const forward::Outcome& decided);
  /// `before`: what the fabric had learned before it decided.
  void fabric(const node::FabricState& state, node::FabricRuntime& before,
              const forward::Packet& packet, std::uint32_t from, IpAddress next_hop, Picos now,
              const forward::FabricOutcome& decided);

  /// A decision that was kept at `place` is not what it would be now.
  void kept_differs(const std::string& place) { count(place, "a decision was kept too long"); }

  /// Decisions compared, and how many of them differed.
  const model::BytePath& counts() const { return counts_; }
  /// The first difference in one line; empty when there is none.
  const std::string& first_mismatch() const { return first_mismatch_; }

 private:
  template <typename Decide>
  static Expected expect(node::NodeRuntime& runtime, Decide decide);
  void count(const std::string& place, const std::string& difference);

  std::uint64_t key_;           ///< Key of the hashes that choose packets and flows.
  std::uint64_t last_sampled_;  ///< Hash of packets in the sample.
  std::uint64_t last_first_;    ///< Hash of flows in it.
  model::BytePath counts_;
  std::string first_mismatch_;
};

}  // namespace overlane::run
