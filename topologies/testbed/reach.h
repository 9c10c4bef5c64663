#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "topologies/compile/compile.h"

namespace overlane::testbed {

/// One UDP packet with DF from a pod to another.
struct Trip {
  std::uint32_t from_node = 0;
  std::uint32_t to_node = 0;
  IpAddress source;
  IpAddress destination;
  std::uint16_t bytes = 0;  ///< IP packet length.

  auto operator<=>(const Trip&) const = default;
};

forward::Packet packet_of(const Trip& trip);

/// The first pod of every node to the first pod of every other, once per packet size.
std::vector<Trip> all_trips(const compile::Compiled& states,
                            const std::vector<std::uint16_t>& sizes);

/// Whether a trip ends at its destination, by the kernel and by the core (path::walk).
struct Verdict {
  Trip trip;
  bool kernel = false;
  bool core = false;
  std::string ended;  ///< Where the kernel or the fabric lost the packet, and what was counted.
};

struct Reach {
  std::string kernel;  ///< Its release.
  /// What the fabric between the nodes left out, and the core with it.
  std::vector<std::string> left_out;
  std::vector<Verdict> verdicts;
};

/// Carries packets over nodes that are kernels: each hop of all packets is one namespace per node,
/// and the VPC between them is forward::forward of the FabricState. Fails when the place is not to
/// be had, or when a state cannot be made there.
Parsed<Reach> reach(const compile::Compiled& states, const std::vector<Trip>& trips,
                    kernel::Place place, const kernel::InnerCommand& inner);

/// The same with a kernel for the VPC too (kernel::fabric_set_up): nothing but kernels carries the
/// packets from pod to pod. Only for states without an obstacle().
Parsed<Reach> reach_through_kernels(const compile::Compiled& states, const std::vector<Trip>& trips,
                                    kernel::Place place, const kernel::InnerCommand& inner);

/// Why kernels alone cannot be these nodes and their fabric; empty when they can.
std::string obstacle(const compile::Compiled& states);

/// The abilities of a place that the states ask for: "veth", and "ipip", "vxlan" …
std::vector<std::string> needed_abilities(const compile::Compiled& states);

}  // namespace overlane::testbed
