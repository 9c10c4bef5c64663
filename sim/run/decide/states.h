#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/world.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::run {

/// Thrown by one of several partitions when an event would affect nodes of other partitions at
/// once. The run then starts again with one partition.
struct NeedsOnePartition {
  const char* reason;  ///< Text for Partitioning::reason.
};

/// Versions of the fabric's decisions, by the packet's destination in the fabric. A changed route
/// raises the versions of its destinations only, so cached decisions of other flows stay valid.
class FabricVersions {
 public:
  /// Destinations whose decisions share a version.
  using Key = std::uint16_t;

  static Key key_of(IpAddress destination) {
    // A route to a longer prefix affects one key only.
    const std::uint64_t bits =
        destination.is_ipv4() ? destination.low >> (32 - kLengthIpv4) : destination.high;
    return static_cast<Key>(murmur_mix(bits) & (kKeys - 1));
  }

  std::uint32_t of(Key key) const { return all_ + by_key_[key]; }

  void raise(const node::FabricChange& change) {
    if (change.all || !change.instances.empty() || !change.groups.empty()) ++all_;
    for (const auto& [table, prefix] : change.destinations) {
      const bool is_long = prefix.length() >= (prefix.is_ipv4() ? kLengthIpv4 : kLengthIpv6);
      ++(is_long ? by_key_[key_of(prefix.network())] : all_);
    }
  }

 private:
  static constexpr std::size_t kKeys = 4096;  ///< A power of two.
  static constexpr int kLengthIpv4 = 24;
  static constexpr int kLengthIpv6 = 64;

  std::uint32_t all_ =
      1;  ///< Version of all destinations together. A sum with it is never repeated.
  std::vector<std::uint32_t> by_key_ = std::vector<std::uint32_t>(kKeys);
};

/// The states of all nodes and of the fabric, what each node has learned, and the versions that
/// show whether cached decisions are still valid. All partitions of a run share it: a partition
/// reads and writes the learned state of its own nodes only, and the states change only while no
/// partition runs.
class States {
 public:
  /// Keeps no reference.
  States(const Network& network, const RunOptions& options);

  const std::vector<node::NodeState>& nodes() const { return world_.nodes; }
  const node::FabricState& fabric() const { return world_.fabric; }
  const std::set<std::uint32_t>& stopped() const { return world_.stopped; }
  const node::InstanceOwners& owners() const { return owners_; }
  /// The racks of the fabric; nullopt if it has none.
  const std::optional<fabric::RackPlan>& racks() const { return racks_; }
  node::NodeRuntime& runtime(std::uint32_t node) { return runtimes_[node]; }

  /// Version of the node's decisions, raised when cached ones may no longer be valid.
  std::uint32_t version(std::uint32_t node) const { return versions_[node]; }
  /// version() after the last change of the node's state.
  std::uint32_t changed_at(std::uint32_t node) const { return changed_at_[node]; }
  /// Version of the fabric for packets to such a destination.
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
  /// Raises version() if the node has learned something since the last call.
  void note_learned(std::uint32_t node);

  /// Changes the states. Nodes that stop forget what they learned.
  node::WorldChange edit(const std::function<void(node::WorldEditor&)>& edit);

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
