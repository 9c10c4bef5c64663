#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {

// Outages in the terms of two benchmarks, so that a switch can be compared with measurements of
// routers and of software data planes.
//
// RFC 6412 ("Terminology for Benchmarking Link-State IGP Data-Plane Route Convergence") measures
// what a Convergence Event does to the packets of each route. Here the event is the change of the
// Shoot, and a route is the path from the pods of one node to the pods of another node, as every
// node has a route to each other node's pod range. FD.io CSIT divides the packets that are lost
// during a reconfiguration by the offered load. Both derive times from lost packets of constant
// rate. The simulation has the exact intervals of loss, which are the limit of infinite rates. The
// functions are pure.

/// What a switch does to the routes. A route converges when its last outage ends.
struct Convergence {
  std::uint64_t routes = 0;       ///< Ordered pairs of nodes that coexist.
  std::uint64_t interrupted = 0;  ///< Routes with an outage.
  std::uint64_t unconverged = 0;  ///< Routes with an outage that never ends.
  /// First Route Convergence Time: from the event until the first interrupted route converges.
  std::optional<Picos> first_route;
  /// Full Convergence Time: from the event until the last one does; empty if one never does.
  std::optional<Picos> full;
  /// Route Loss of Connectivity Period: the time in which packets of one route are lost. The
  /// smallest, the median and the largest one of the interrupted routes that converge.
  std::optional<Picos> least_loss, median_loss, most_loss;
  /// Effective blocked time: lost packets of all routes by their offered load, if all routes have
  /// the same load; also RFC 6412's Loss-Derived Loss of Connectivity Period. Empty if a route
  /// never converges, because the loss grows without end.
  std::optional<Picos> blocked;
};

/// `outages` are those after the event, sorted by route; `routes` is the number of all routes.
Convergence convergence_of(const std::vector<Outage>& outages, std::uint64_t routes);

}  // namespace overlane::migration
