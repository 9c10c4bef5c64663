#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/effective/provenance.h"

namespace overlane::effective {

/// How pod traffic of a family reaches other nodes without a network extension.
RoutesBy native_routes(const provider::Profile& provider, const Families& families, Family family);

/// Whether the provider's route controller writes a route for each node's pod CIDR of `family`, as
/// the provider's extension configures it (topologies/provider). `dataplane` is that family's;
/// nullptr: the network extension is unknown.
Decided<CloudRoutes> decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                         const Dataplane* dataplane);

}  // namespace overlane::effective
