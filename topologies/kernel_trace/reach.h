#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "topologies/compile/compile.h"

namespace overlane::testbed {

// Verifies the model against Linux: sends the packets of path::walk() through kernels and compares
// the outcomes, which must be equal. Each node is a network namespace that is configured from its
// NodeState. The packets cross the VPC as forward::forward() decides for the FabricState (reach()),
// or through a further kernel (reach_through_kernels()). The functions start the kernels in a
// kernel::Place and block until they have answered.

/// One UDP packet with DF from a pod to a pod of another node.
struct Trip {
  std::uint32_t from_node = 0;
  std::uint32_t to_node = 0;
  IpAddress source;
  IpAddress destination;
  std::uint16_t bytes = 0;  ///< IP packet length.

  auto operator<=>(const Trip&) const = default;
};

/// The packet of a trip, as its sender emits it.
forward::Packet packet_of(const Trip& trip);

/// Trips from the first pod of every node to the first pod of every other node, one per packet
/// size. Nodes without pods are omitted.
std::vector<Trip> all_trips(const compile::Compiled& states,
                            const std::vector<std::uint16_t>& sizes);

/// Whether the packet of a trip is delivered by the kernels and by the model (path::walk()).
struct TripOutcome {
  Trip trip;
  bool kernel = false;
  bool core = false;
  std::string
      ended;  ///< Where the kernel or the fabric dropped the packet, and which counter shows it.
};

/// The outcomes of all trips over one set of states.
struct Reach {
  std::string kernel;  ///< Kernel release.
  /// Features of the fabric that both the kernel run and the model omit.
  std::vector<std::string> left_out;
  std::vector<TripOutcome> verdicts;
};

/// Sends packets over nodes that are kernels, hop by hop: for each hop, every node with packets is
/// a namespace, and forward::forward() carries the packets over the VPC. Fails if the place is not
/// available or cannot represent a state. `inner` runs inside user-mode Linux.
Parsed<Reach> reach(const compile::Compiled& states, const std::vector<Trip>& trips,
                    kernel::Place place, const kernel::InnerCommand& inner);

/// Packets over one set of states.
struct Journey {
  compile::Compiled states;
  std::vector<Trip> trips;
};
/// Runs reach() over several sets of states together, which takes little longer than over one set.
/// The results have the order of the journeys, which must outlive the call.
Parsed<std::vector<Reach>> reach_all(const std::vector<Journey>& journeys, kernel::Place place,
                                     const kernel::InnerCommand& inner);

/// Like reach(), but with a kernel as the VPC too (kernel::fabric_set_up): only kernels forward the
/// packets from pod to pod. Requires states without an obstacle().
Parsed<Reach> reach_through_kernels(const compile::Compiled& states, const std::vector<Trip>& trips,
                                    kernel::Place place, const kernel::InnerCommand& inner);

/// Why kernels alone cannot represent these nodes and their fabric; empty if they can.
std::string obstacle(const compile::Compiled& states);

/// The abilities of a place that the states require: "veth" and their encapsulations ("ipip",
/// "vxlan" …), sorted.
std::vector<std::string> needed_abilities(const compile::Compiled& states);

}  // namespace overlane::testbed
