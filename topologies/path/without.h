#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/node/state/world.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

// `overlane trace --without`: removes one entry of a state, such as a route, a device or a security
// group rule, to show whether the packet depends on it. Entries are identified by the lines that
// the states print. Removing a required entry, such as an instance, is refused.

/// A line of a state's text (to_string) and the change that removes it.
template <typename Editor>
struct Entry {
  std::string line;
  std::function<void(Editor&)> take_out;
};
using NodeEntries = std::vector<Entry<node::NodeEditor>>;
using FabricEntries = std::vector<Entry<node::FabricEditor>>;

/// All removable entries of the state. A rule with several lines is one entry.
NodeEntries entries_of(const node::NodeState& state);
/// Allowed address pairs, a part of their instance's line, are separate entries: "instance node-1
/// allows 100.96.0.0/11".
FabricEntries entries_of(const node::FabricState& state);

/// A line removed from or added to a state.
struct Change {
  std::string place;  ///< "node-1", "vpc".
  std::string line;   ///< "- default via …", in the format of node::diff.
};

/// Removes one entry from the states: a line of a node's or the VPC's text (to_string), or its
/// start up to a colon or a space ("tunl0", "100.96.1.0/24"). Searches `places` ("node-1", "vpc")
/// in order; a prefix "node-2: " or "vpc: " selects another place. Returns the changes.
///
/// Fails with `no-such-entry`, naming the closest line, if no line or several lines match, and for
/// lines that are required (an instance, the VPC's MTU).
Result<std::vector<Change>> take_out(compile::Compiled& states, std::string_view entry,
                                     const std::vector<std::string>& places);

}  // namespace overlane::path
