#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "sim/run/run.h"
#include "topologies/compile/compile.h"

namespace overlane::runner {

/// The ways that traffic needs, each from one pod to another by one protocol, and those among them
/// that lead nowhere.
struct Delivery {
  std::size_t ways = 0;
  std::size_t blocked = 0;
  std::string first_block;  ///< "node-1 to node-2: no-route (…)".
};

/// Walks a packet along each way that is small enough for every MTU: is there a way at all?
Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic);

/// The first way on which small packets arrive and the traffic's large ones do not, without its
/// sender hearing of it: `path-mtu-black-hole`, whose place is the caller's to give; a warning, or
/// a note where TCP probes for the MTU. `mtu_probing` wins over the traffic's own.
std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing);

}  // namespace overlane::runner
