#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/node/state/node_state.h"

namespace overlane::adjacency {

/// Sources that the decision sequence cannot tell from each other, as far as it looks at them
/// without a connection.
struct SourceGroup {
  std::uint8_t value = 0;
  auto operator<=>(const SourceGroup&) const = default;
};

/// As many as a mask has bits. The last one takes those for which there is no room.
inline constexpr std::uint32_t kSourceGroups = 32;

/// What a node's tables say about the addresses of a prefix that no longer prefix of the list
/// covers. The tables treat all of them alike.
struct AddressClass {
  IpPrefix prefix;
  IpAddress sample;                       ///< One of them.
  std::optional<node::RouteMatch> route;  ///< Points into the state.
  bool is_local = false;                  ///< Whether the node has it.
  bool is_member = false;                 ///< Whether a node of the cluster has it.
  SourceGroup group;
};

/// The classes of all addresses of both families, sorted by prefix: every prefix at which some
/// table, rule or range of the state begins or ends. `state` must outlive them.
std::vector<AddressClass> address_classes(const node::NodeState& state);

}  // namespace overlane::adjacency
