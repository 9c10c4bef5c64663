#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/compile/compile.h"

namespace overlane::path {

/// A line that a state lost or got.
struct Change {
  std::string place;  ///< "node-1", "vpc".
  std::string line;   ///< "- default via …", as node::diff tells it.
};

/// Takes one entry out of the states: a line of a node's or of the VPC's text (to_string), as it
/// is printed, or the beginning of one up to a colon or a space ("tunl0", "100.96.1.0/24"). It is
/// looked for in `places` ("node-1", "vpc"), in their order; "node-2: " or "vpc: " in front of it
/// says where else. Returns what changed with it.
///
/// Fails with `no-such-entry`, which names the closest line, when no line begins so, when several
/// do, and for lines that always have a value (an instance, the VPC's MTU).
Result<std::vector<Change>> take_out(compile::Compiled& states, std::string_view entry,
                                     const std::vector<std::string>& places);

}  // namespace overlane::path
