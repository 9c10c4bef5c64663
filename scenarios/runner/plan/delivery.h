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

/// The paths that traffic needs, one per pair of pods and protocol, and the number of blocked ones.
struct Delivery {
  std::size_t paths = 0;
  std::size_t blocked = 0;
  std::string first_block;  ///< "node-1 to node-2: no-route (…)".
};

/// Sends one packet, small enough for every MTU, along each path.
Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic);

/// The first path with a path MTU black hole: small packets are delivered, the traffic's large ones
/// are dropped without an ICMP error to the sender. A finding `path-mtu-black-hole` without a
/// location: a warning, or a note if TCP probes for the MTU. `mtu_probing` overrides the traffic's.
std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing);

}  // namespace overlane::runner
