#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/compile/compile.h"

namespace overlane::path {

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
