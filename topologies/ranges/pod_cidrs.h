#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/prefix.h"

namespace overlane::ranges {

/// The pod CIDRs that Kubernetes' RangeAllocator (pkg/controller/nodeipam/ipam/cidrset/cidr_set.go)
/// cuts a cluster's pod range into, one for each node. A new node gets the first one from `next` on
/// that is not in use, around the end of the range; `next` is the one behind it then. A deleted
/// node's pod CIDR is free again, but `next` stays. When the controller starts, `next` is 0.
struct PodCidrAllocation {
  IpPrefix range;
  std::uint8_t mask = 0;            ///< Length of a pod CIDR, in terms of the family.
  std::vector<std::uint64_t> used;  ///< Ascending, each less than pod_cidr_count().
  std::uint64_t next = 0;           ///< Less than pod_cidr_count().
};

/// How many pod CIDRs a range has: none if the mask is 0, shorter than the range or more than 62
/// bits longer. (Kubernetes starts with at most 16 more for IPv6, with any for IPv4.)
std::uint64_t pod_cidr_count(const IpPrefix& range, std::uint8_t mask);
/// Which pod CIDR holds the address; nothing if it is outside the range, or there are no pod CIDRs.
std::optional<std::uint64_t> pod_cidr_index(const IpPrefix& range, std::uint8_t mask,
                                            IpAddress address);

/// How many nodes must at least be created, in both clusters together, until a pod CIDR of the one
/// meets one of the other: 0 if they do already, nothing if they never can. Pod CIDRs that are in
/// use stay in use.
struct UntilConflict {
  /// With allocators that start at 0: those of new clusters, and after a restart of the controller.
  std::optional<std::uint64_t> nodes;
  /// With allocators that stand at `next`, which any of them may leave for 0 (a restart): nodes
  /// that were replaced have moved them on. So this is never more than `nodes`.
  std::optional<std::uint64_t> creations;
};
UntilConflict until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges
