#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "dataplane/node/state/world.h"
#include "sim/random/stream.h"

namespace overlane::path::testing {

/// Draws random changes of a world, of every kind that its editors offer. Half of the changes
/// restore an original value, so that most traffic continues to be delivered.
class RandomChanges {
 public:
  /// Refers to the world, which must outlive this object.
  RandomChanges(node::World& world, std::uint64_t seed);

  /// Makes one or more changes; in one of 8 calls, the same kind of change on most nodes.
  node::WorldChange next();

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }

 private:
  void change_any(node::WorldEditor& editor);
  void change_node(node::WorldEditor& editor, std::uint32_t number, std::uint64_t kind);
  void change_peers(node::NodeEditor& editor, const node::NodeState& original);
  void change_device(node::NodeEditor& editor, const node::NodeState& original);
  void change_shared(node::NodeEditor& editor, const node::NodeState& original, std::uint64_t kind);
  void change_pods(node::WorldEditor& editor, std::uint32_t number);
  void change_fabric(node::FabricEditor& editor);
  void change_instance(node::FabricEditor& editor);
  void change_for_all(node::FabricEditor& editor);

  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <typename Values>
  auto pick_of(const Values& values) {
    return values[below(values.size())];
  }
  std::uint32_t any_node() { return static_cast<std::uint32_t>(below(world_.nodes.size())); }
  /// An address of a node: its own, its tunnel's or a pod's.
  IpAddress any_address();
  IpPrefix any_prefix();
  node::Route any_route(const node::NodeState& state);

  node::World& world_;
  const node::World original_;
  std::vector<IpPrefix> prefixes_;  ///< Destinations of routes of the original world.
  RandomStream random_;
};

}  // namespace overlane::path::testing
