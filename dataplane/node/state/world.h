#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dataplane/node/state/fabric_editor.h"
#include "dataplane/node/state/node_editor.h"

namespace overlane::node {

/// The nodes of a cluster and the fabric between them, as they are at one time. `nodes[i]` and
/// `fabric.instances[i]` are the same machine. A node keeps its number: one that leaves is stopped,
/// one that joins later is stopped until then.
struct World {
  std::vector<NodeState> nodes;
  FabricState fabric;
  /// Numbers of the nodes whose machine does not run: packets on it and to it are lost
  /// (Drop::NodeGone). Their states stay as they are, and so does the cloud's.
  std::set<std::uint32_t> stopped = {};
};

/// Where a pod is.
struct PodPlace {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodPlace&) const = default;
};

/// A pod that was made again, maybe elsewhere: the same workload with new sockets.
struct PodRestart {
  PodPlace before;
  PodPlace now;

  auto operator<=>(const PodRestart&) const = default;
};

/// What was changed of a world at one time.
struct WorldChange {
  std::map<std::uint32_t, NodeChange> nodes;  ///< Only nodes of which something was changed.
  FabricChange fabric;
  std::vector<std::uint32_t> stopped;  ///< Nodes.
  std::vector<std::uint32_t> started;  ///< Nodes. Their pods are made again.
  std::vector<PodPlace> ended;         ///< Pods of nodes that run.
  std::vector<PodRestart> restarted;

  bool any() const {
    return !nodes.empty() || fabric.any() || !stopped.empty() || !started.empty() ||
           !ended.empty() || !restarted.empty();
  }
};

/// Changes a world and notes what was changed.
class WorldEditor {
 public:
  explicit WorldEditor(World& world) : world_(world), fabric_(world.fabric) {}

  /// The same editor for each call with one number.
  NodeEditor& node(std::uint32_t number) {
    return editors_.try_emplace(number, world_.nodes.at(number)).first->second;
  }
  FabricEditor& fabric() { return fabric_; }

  /// A node leaves, or fails. False: it does not run.
  bool stop_node(std::uint32_t number);
  /// A node joins, or is back from a reboot: its kernel has learned nothing yet. False: it runs.
  bool start_node(std::uint32_t number);
  /// Ends a pod. False: there is none.
  bool end_pod(const PodPlace& place);
  /// Makes a pod again that was at `before`, or still is.
  void restart_pod(const PodPlace& before, std::uint32_t node, const LocalPod& pod);

  const World& world() const { return world_; }

  /// All that was changed since the last call. References to editors of nodes end here.
  WorldChange take() {
    WorldChange change = std::exchange(change_, {});
    change.fabric = fabric_.take();
    for (auto& [number, editor] : editors_) {
      NodeChange of_node = editor.take();
      if (of_node.any()) change.nodes.emplace(number, std::move(of_node));
    }
    editors_.clear();
    return change;
  }

 private:
  World& world_;
  FabricEditor fabric_;
  std::map<std::uint32_t, NodeEditor> editors_;
  WorldChange change_;  ///< Of nodes and pods that stop and start.
};

}  // namespace overlane::node
