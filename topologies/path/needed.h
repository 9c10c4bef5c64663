#pragma once

#include <cstdint>
#include <string>

#include "dataplane/net/drop.h"
#include "topologies/path/trace.h"

namespace overlane::path {

// Finds the configuration that an operator has to fix after a packet was dropped. For most drop
// reasons, the table of drop reasons (dataplane/net/drop.h) names it. For the others, needed()
// finds the missing route, device, neighbour or rule and gives it as a line of the state's text:
// with this line, the packet would have passed. The cause may be on a different node than the drop.

/// The missing or wrong configuration that caused a drop.
struct Needed {
  Gate gate = Gate::Route;  ///< The condition of forwarding that was not met.
  std::string place;        ///< Where it is missing: "node-1", "vpc".
  std::string what;         ///< One sentence, without the entry.
  std::string
      entry;  ///< The line of the state's text that would have let the packet pass, or empty.
  bool is_there = false;  ///< The entry exists, so the cause is a different one.
};

/// The configuration whose absence caused the failure. If the route used is not the one that the
/// shoot's CNI writes, the gate is that of the missing route: without its tunnel device a node has
/// no routes through it, so the VPC's drop of the unencapsulated packet is only a symptom.
Needed needed(const compile::Compiled& states, const Failure& failure);

}  // namespace overlane::path
