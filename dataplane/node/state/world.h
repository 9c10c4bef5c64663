#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "dataplane/node/state/fabric_editor.h"
#include "dataplane/node/state/node_editor.h"

namespace overlane::node {

/// The nodes of a cluster and the fabric between them, as they are at one time. `nodes[i]` and
/// `fabric.instances[i]` are the same machine.
struct World {
  std::vector<NodeState> nodes;
  FabricState fabric;
};

/// What was changed of a world at one time.
struct WorldChange {
  std::map<std::uint32_t, NodeChange> nodes;  ///< Only nodes of which something was changed.
  FabricChange fabric;

  bool any() const { return !nodes.empty() || fabric.any(); }
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

  const World& world() const { return world_; }

  /// All that was changed since the last call. References to editors of nodes end here.
  WorldChange take() {
    WorldChange change{.nodes = {}, .fabric = fabric_.take()};
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
};

}  // namespace overlane::node
