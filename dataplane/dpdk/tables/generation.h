#pragma once

#include <memory>

#include "dataplane/adjacency/class_lookup.h"
#include "dataplane/adjacency/compile.h"
#include "dataplane/adjacency/ipv6_finder.h"
#include "dataplane/dpdk/tables/lpm.h"

namespace overlane::dpdk {

/// A state with everything that forwards by it. Only its link headers change once it is made, by
/// one thread; any other change of the node is another generation.
struct Generation {
  adjacency::Compiled compiled;
  Lpm lpm;  ///< IPv4.
  adjacency::Ipv6Finder ipv6;
  adjacency::PrefixFinder all_classes;  ///< Both families.
  std::unique_ptr<adjacency::LinkHeaders> links;

  const node::NodeState& state() const { return *compiled.state; }
};

/// Compiles a state and fills its tables. No link header is known yet.
Parsed<std::shared_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state);

}  // namespace overlane::dpdk
