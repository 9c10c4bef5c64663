#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "sim/cost/path_cost.h"
#include "sim/host/machine.h"
#include "sim/run/inputs/network.h"
#include "sim/run/packet/packet.h"
#include "sim/run/path/packets.h"

namespace overlane::run {

/// Two hardware threads of one core together do 1.25 times the work of one alone: each takes 8/5 of
/// the time (Marr et al., "Hyper-Threading Technology Architecture and Microarchitecture", Intel
/// Technology Journal 6(1), 2002: up to 1.3).
inline constexpr std::int64_t kSharedNumerator = 8;
inline constexpr std::int64_t kSharedDenominator = 5;

/// A core: a station for packets and reads.
struct Core : Station {
  Picos asleep_at;  ///< When its last switch to idle ends.

  /// Whether a reader must be woken from idle at `now`: the core is idle, or all that it still has
  /// to do is to go idle, which it does not undo.
  bool is_asleep(Picos now) const { return server.free_at() <= std::max(now, asleep_at); }
};

/// The cores of one node. Nodes that are namespaces of one machine share its cores.
struct NodeCores {
  std::span<Core> cores;
  /// Costs of packets on the node; null where CPU time is free.
  std::shared_ptr<const cost::PathCosts> costs;
  bool is_shared = false;     ///< Whether other nodes use the cores, too.
  std::uint32_t sibling = 0;  ///< Distance from a core to its sibling thread, in core numbers; 0:
                              ///< it has none.
  std::shared_ptr<std::vector<Core>> machine;  ///< Owns `cores`.

  /// Occupies a core for `time`, or longer if its sibling thread is busy at `now`. Returns the time
  /// at which the core is done.
  Picos occupy(std::uint32_t core, Picos now, Picos time) const {
    core::FifoServer& server = cores[core].server;
    if (sibling != 0 && cores[(core + sibling) % cores.size()].server.free_at() > now)
      time.count = time.count * kSharedNumerator / kSharedDenominator;
    return server.occupy(now, time);
  }
  /// A core goes idle after its earlier work, which takes `time`.
  void fall_asleep(std::uint32_t core, Picos now, Picos time) const {
    cores[core].asleep_at = occupy(core, now, time);
  }
};

/// The cores of all nodes. A core works on packets and reads in the order in which they come. One
/// partition owns a Cpu and is its only user.
class Cpu {
 public:
  /// `packets` must outlive this object.
  Cpu(const Network& network, Packets& packets);

  /// Whether CPU time has costs; if not, no packet waits for a core.
  bool has_costs() const { return has_costs_; }
  /// Whether all nodes have the same cores.
  bool is_shared() const { return is_shared_; }
  const NodeCores& operator[](std::uint32_t node) const { return nodes_[node]; }
  const std::vector<NodeCores>& nodes() const { return nodes_; }
  const cost::PathCosts& costs(std::uint32_t node) const { return *nodes_[node].costs; }
  /// Null where CPU time is free.
  const cost::PathCost* cost(std::uint32_t node, cost::PathId path) const {
    return has_costs_ ? &(*nodes_[node].costs)[path] : nullptr;
  }

  /// A core works on a packet for `time`; then CoreDone happens.
  void work(PacketId id, std::uint32_t node, std::uint16_t core, Picos time) {
    const Picos done = nodes_[node].occupy(core, packets_.now(), time);
    packets_.wait(nodes_[node].cores[core].pipe, id, done, {EventKind::CoreDone, node, core});
  }
  /// Moves a packet at `at` to another core of the node, which works on it for `time`. Returns
  /// false if too many packets wait there.
  bool work_later(PacketId id, std::uint32_t node, std::uint16_t core, Picos at, Picos time);
  /// A core of the node reads for an application: `time` of work after the core's earlier work.
  /// Then CoreDone happens.
  void read(const Read& read, std::uint32_t node, std::uint32_t core, Picos time);
  /// Occupies a core with work that no packet waits for.
  void occupy(std::uint32_t node, std::uint32_t core, Picos time) {
    nodes_[node].occupy(core, packets_.now(), time);
  }

  /// Takes the packet or read that a core has finished now; kNone if it was lost.
  PacketId take(std::uint32_t node, std::uint16_t core);
  /// Packets::due() for a core.
  PacketId due(std::uint32_t node, std::uint16_t core) const {
    return packets_.due(nodes_[node].cores[core].pipe);
  }
  /// The node stops: appends the packets and reads in its cores' queues to `lost`. Shared cores
  /// continue.
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  Packets& packets_;
  bool has_costs_;
  bool is_shared_;
  std::vector<NodeCores> nodes_;
};

}  // namespace overlane::run
