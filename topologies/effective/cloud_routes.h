#pragma once

#include "topologies/effective/basis.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::effective {

/// Who carries a family's pods between nodes where no network extension does.
RoutesBy native_routes(const provider::Profile& provider, const Families& families, Family family);

/// Whether the provider's route controller writes a route for each node's pod CIDR of `family`, as
/// the provider's extension configures it (topologies/provider). `dataplane` is that of the family;
/// nullptr: the network extension is not known.
Decided<CloudRoutes> decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                         const Dataplane* dataplane);

}  // namespace overlane::effective
