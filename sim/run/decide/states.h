#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/fabric_state.h"
#include "sim/run/decide/fabric_versions.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::run {

/// The states of all nodes and of the fabric, what each node has learned, and versions that tell
/// whether what was decided under them still holds. All partitions of a run have them in common:
/// what is of one node is touched by the partition that has the node, and the states change while
/// no partition runs.
class States {
 public:
  /// Keeps no reference.
  States(const Network& network, const RunOptions& options);

  const std::vector<node::NodeState>& nodes() const { return world_.nodes; }
  const node::FabricState& fabric() const { return world_.fabric; }
  const std::set<std::uint32_t>& stopped() const { return world_.stopped; }
  const node::InstanceOwners& owners() const { return owners_; }
  /// The fabric's, where it has any.
  const std::optional<fabric::RackPlan>& racks() const { return racks_; }
  node::NodeRuntime& runtime(std::uint32_t node) { return runtimes_[node]; }

  /// Raised when what was decided on the node may not hold any longer.
  std::uint32_t version(std::uint32_t node) const { return versions_[node]; }
  /// Its version when its state changed last.
  std::uint32_t changed_at(std::uint32_t node) const { return changed_at_[node]; }
  /// The same of the fabric, for packets to such a destination.
  std::uint32_t fabric_version(FabricVersions::Key destination) const {
    return fabric_versions_.of(destination);
  }

  /// How often a node's learned state was consulted (uses) and how often it grew (changes).
  struct RuntimeEpoch {
    std::uint64_t uses = 0;
    std::uint64_t changes = 0;
    bool operator==(const RuntimeEpoch&) const = default;
  };
  RuntimeEpoch learning(std::uint32_t node) const;
  /// What held as long as the node had not learned more does not hold any longer, if it has.
  void note_learned(std::uint32_t node);

  /// Changes the states. Nodes that stop forget what they learned.
  node::WorldChange apply(const std::function<void(node::WorldEditor&)>& edit);

 private:
  node::World world_;
  node::WorldEditor editor_{world_};
  std::vector<node::NodeRuntime> runtimes_;
  node::InstanceOwners owners_;
  std::optional<fabric::RackPlan> racks_;

  std::vector<std::uint32_t> versions_;
  std::vector<std::uint32_t> changed_at_;
  std::vector<std::uint64_t> changes_;  ///< RuntimeEpoch::changes of each node at its version.
  FabricVersions fabric_versions_;
};

}  // namespace overlane::run
