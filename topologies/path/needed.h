#pragma once

#include <cstdint>
#include <string>

#include "dataplane/net/drop.h"
#include "topologies/path/trace.h"

namespace overlane::path {

// What an operator has to fix for a packet that was dropped. Most drop reasons say it in their row
// (dataplane/net/drop.h). For the others needed() finds the missing route, device, neighbour or
// rule, as the line of the state's text that would have let the packet pass. It looks for the
// cause, which may be on another node than the drop.

/// The missing or wrong configuration that caused a drop.
struct Needed {
  Gate gate = Gate::Route;
  std::string place;  ///< Where it is missing: "node-1", "vpc".
  std::string what;   ///< One sentence, without the entry.
  std::string
      entry;  ///< The line of the state's text that would have let the packet pass, or empty.
  bool is_there = false;  ///< The entry exists, so the cause is another one.
};

/// The configuration whose absence caused the failure. If the route used is not the one that the
/// shoot's CNI writes, the gate is that of the missing route: without its tunnel device a node has
/// no routes through it, so the VPC's drop of the unencapsulated packet is only a symptom.
Needed needed(const compile::Compiled& states, const Failure& failure);

}  // namespace overlane::path
