#pragma once

#include <cstddef>
#include <string_view>

#include "topologies/effective/network_inputs.h"
#include "topologies/effective/provenance.h"

namespace overlane::effective {

/// How pod traffic of a family reaches other nodes without a network extension.
RoutesBy native_routes(const provider::Profile& provider, const Families& families, Family family);

/// The rule about a shoot with this gap (topologies/rules).
std::string_view rule_of(RouteGap gap);

/// Number of subnets that the shoot's nodes are in: one per zone, unless the provider has one for
/// all zones.
std::size_t count_node_subnets(const NetworkInputs& inputs);

/// Whether a controller maintains the routes to pods, and why not if pods need them.
struct CloudRouteDecision {
  CloudRoutes value = CloudRoutes::NotNeeded;
  RouteGap gap = RouteGap::None;
  Provenance basis;
};

/// Whether the provider's route controller writes a route for each node's pod CIDR of `family`, as
/// the provider's extension configures it (topologies/provider). `dataplane` is that family's. Pods
/// also need the routes where the nodes' own routes do not reach: in other subnets, and in networks
/// that do not honour a next hop.
CloudRouteDecision decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                       const Dataplane& dataplane);

}  // namespace overlane::effective
