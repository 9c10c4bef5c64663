#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dataplane/node/state/world.h"

namespace overlane::path {

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

}  // namespace overlane::path
