#pragma once

#include <string>

#include "topologies/path/gate.h"
#include "topologies/path/trace.h"

namespace overlane::path {

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
