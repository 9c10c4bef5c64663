#include "sim/run/decide/states.h"

namespace overlane::run {

States::States(const Network& network, const RunOptions& options)
    : world_{network.nodes, network.fabric},
      runtimes_(network.nodes.size()),
      owners_(world_.fabric),
      versions_(network.nodes.size(), 1),
      changed_at_(network.nodes.size(), 1) {
  for (std::uint32_t node = 0; node < world_.nodes.size(); ++node)
    changes_.push_back(learning(node).changes);
  for (const auto& [node, at] : options.joins)
    world_.stopped.insert(node);
  if (network.paths.racks) racks_.emplace(*network.paths.racks, world_.fabric, options.seed);
}

States::RuntimeEpoch States::learning(std::uint32_t node) const {
  const node::NodeRuntime& runtime = runtimes_[node];
  return {.uses = runtime.connections.uses() + runtime.path_mtus.uses(),
          .changes = runtime.connections.entered() + runtime.path_mtus.times_learned()};
}

void States::note_learned(std::uint32_t node) {
  const std::uint64_t changes = learning(node).changes;
  if (changes == changes_[node]) return;
  changes_[node] = changes;
  ++versions_[node];
}

node::WorldChange States::edit(const std::function<void(node::WorldEditor&)>& edit) {
  edit(editor_);
  node::WorldChange changed = editor_.take();
  for (const auto& [node, of_node] : changed.nodes) {
    changed_at_[node] = ++versions_[node];
    node::forget(runtimes_[node], world_.nodes[node], of_node);
  }
  for (const std::uint32_t node : changed.stopped) {
    changed_at_[node] = ++versions_[node];
    runtimes_[node] = {};
    changes_[node] = learning(node).changes;
  }
  fabric_versions_.raise(changed.fabric);
  if (!changed.fabric.instances.empty()) owners_ = node::InstanceOwners(world_.fabric);
  return changed;
}

}  // namespace overlane::run
