#pragma once

#include "topologies/overlap/inventory/shoot.h"
#include "topologies/ranges/pod_cidrs.h"

namespace overlane::overlap {

/// Node creations until two shoots allocate overlapping pod CIDRs from their pod ranges `a` and
/// `b`. The pod CIDRs in use are those of their Nodes; without Nodes, the workers' minimum from the
/// start of the range.
ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b);

/// Node creations until the shoot allocates a pod CIDR that overlaps `hosts`.
ranges::UntilConflict until_conflict(const Shoot& shoot, const Range& pods, const IpPrefix& hosts);

/// Whether a provider's route controller deletes foreign routes inside the shoot's own pod range,
/// so that two shoots lose routes before any of their pod CIDRs overlap
/// (aws-custom-route-controller pkg/updater; cloud-provider controllers/route, of azure and
/// openstack). GCP's recognizes its own routes by name, and Alibaba Cloud's deletes only routes
/// inside a node's own pod CIDR (cloud-provider-alibaba-cloud pkg/controller/route/manager.go).
bool deletes_routes_of_others(effective::Provider provider);

}  // namespace overlane::overlap
