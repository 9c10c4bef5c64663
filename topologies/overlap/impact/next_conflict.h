#pragma once

#include "topologies/overlap/inventory/shoot.h"
#include "topologies/ranges/pod_cidrs.h"

namespace overlane::overlap {

/// How far two shoots are from giving nodes the same pod addresses; `a` and `b` are ranges of pods
/// of theirs. The pod CIDRs in use are those of their Nodes; without any, as many from the range's
/// start as the workers have at least.
ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b);

/// How far a shoot is from giving a node pod addresses that lie in `hosts`.
ranges::UntilConflict until_conflict(const Shoot& shoot, const Range& pods, const IpPrefix& hosts);

/// Whether a provider's route controller deletes routes of others inside the shoot's own pods, so
/// that two shoots lose routes before any pod CIDRs of theirs meet (aws-custom-route-controller
/// pkg/updater; cloud-provider controllers/route, of azure and openstack). GCP's knows its own by
/// their names, and Alibaba Cloud's deletes none but those inside a node's own pod CIDR
/// (cloud-provider-alibaba-cloud pkg/controller/route/manager.go).
bool deletes_routes_of_others(effective::Provider provider);

}  // namespace overlane::overlap
