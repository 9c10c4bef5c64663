#pragma once

#include <vector>

#include "results/model/run_report.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

/// Writes the IPv6 ranges that the shoot's cloud would choose, and no document gives, into the
/// shoot's status, as the cloud's controller would: ranges for documentation (RFC 3849). What was
/// assumed; nothing for providers that choose none.
std::vector<model::Assumption> assume_ipv6_ranges(const effective::EffectiveDataplane& shoot,
                                                  manifest::PodNetworkSpec& spec);

}  // namespace overlane::runner
