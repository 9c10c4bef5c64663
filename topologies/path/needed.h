#pragma once

#include <string>

#include "topologies/path/gate.h"
#include "topologies/path/trace.h"

namespace overlane::path {

/// What a packet that was dropped lacked.
struct Needed {
  Gate gate = Gate::Route;
  std::string place;  ///< "node-1", "vpc": where it lacked.
  std::string what;   ///< One sentence, without the entry.
  std::string entry;  ///< The line that would have let it pass, as the state prints it, or empty.
  bool is_there = false;  ///< The entry is there, so that it was something else.
};

/// What would have to be there. Where the route that was taken is not the one that the shoot's CNI
/// would have written, the gate is that of what is missing: without its tunnel device a node has no
/// routes through it, and the VPC's answer to the bare packet is not the point.
Needed needed(const compile::Compiled& states, const Failure& failure);

}  // namespace overlane::path
