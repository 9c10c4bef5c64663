#pragma once

#include <vector>

#include "results/model/run_report.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

/// Adds IPv6 ranges to the shoot's status if the cloud chooses them and no document gives them, as
/// the cloud's controller would: from the documentation prefix (RFC 3849). Returns the assumptions;
/// none for providers that do not choose ranges.
std::vector<model::Assumption> assume_ipv6_ranges(const effective::EffectiveDataplane& shoot,
                                                  manifest::PodNetworkSpec& spec);

}  // namespace overlane::runner
