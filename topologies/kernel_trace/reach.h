#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "topologies/compile/compile.h"

namespace overlane::testbed {

// Proof of the model: the packets of path::walk sent over Linux kernels. Each node is a network
// namespace that is configured from its NodeState; the packets cross the VPC as the FabricState
// decides, or as a further kernel does. A verdict has both results, and they must be equal.
// Needs a kernel::Place that can represent the states.

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

/// From the first pod of every node to the first pod of every other, once per packet size.
std::vector<Trip> all_trips(const compile::Compiled& states,
                            const std::vector<std::uint16_t>& sizes);

/// Whether a packet is delivered: in the kernel and in the model (path::walk).
struct TripOutcome {
  Trip trip;
  bool kernel = false;
  bool core = false;
  std::string
      ended;  ///< Where the kernel or the fabric dropped the packet, and which counter shows it.
};

struct Reach {
  std::string kernel;  ///< Kernel release.
  /// Features of the fabric that both the kernel run and the model omit.
  std::vector<std::string> left_out;
  std::vector<TripOutcome> verdicts;
};

/// Sends packets over nodes that are kernels: each hop of all packets is one namespace per node,
/// and the VPC between them is forward::forward of the FabricState. Fails if the place is not
/// available or cannot represent a state.
Parsed<Reach> reach(const compile::Compiled& states, const std::vector<Trip>& trips,
                    kernel::Place place, const kernel::InnerCommand& inner);

/// Packets over one set of states.
struct Journey {
  compile::Compiled states;
  std::vector<Trip> trips;
};
/// reach() over several sets of states at once, which takes little longer than over one.
Parsed<std::vector<Reach>> reach_all(const std::vector<Journey>& journeys, kernel::Place place,
                                     const kernel::InnerCommand& inner);

/// reach() with a kernel as the VPC too (kernel::fabric_set_up): only kernels forward the
/// packets from pod to pod. Only for states without an obstacle().
Parsed<Reach> reach_through_kernels(const compile::Compiled& states, const std::vector<Trip>& trips,
                                    kernel::Place place, const kernel::InnerCommand& inner);

/// Why kernels alone cannot represent these nodes and their fabric; empty if they can.
std::string obstacle(const compile::Compiled& states);

/// The abilities of a place that the states require: "veth", and "ipip", "vxlan" …
std::vector<std::string> needed_abilities(const compile::Compiled& states);

}  // namespace overlane::testbed
