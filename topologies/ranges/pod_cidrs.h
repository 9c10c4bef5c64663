#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/prefix.h"

// Models how kube-controller-manager allocates pod CIDRs to nodes, to tell after how many node
// creations two clusters with overlapping pod ranges allocate overlapping pod CIDRs.
namespace overlane::ranges {

/// The pod CIDRs that Kubernetes' RangeAllocator (pkg/controller/nodeipam/ipam/cidrset/cidr_set.go)
/// divides a cluster's pod range into, one per node. A new node gets the first free one from `next`
/// on, wrapping around at the end of the range; `next` then follows it. A deleted node frees its
/// pod CIDR, but `next` stays. When the controller starts, `next` is 0.
struct PodCidrAllocation {
  IpPrefix range;
  std::uint8_t mask = 0;            ///< Length of a pod CIDR, in terms of the family.
  std::vector<std::uint64_t> used;  ///< Ascending, each less than pod_cidr_count().
  std::uint64_t next = 0;           ///< Less than pod_cidr_count().
};

/// Number of pod CIDRs in a range: 0 if the mask is 0, shorter than the range or more than 62
/// bits longer. (Kubernetes starts with at most 16 more for IPv6, with any for IPv4.)
std::uint64_t pod_cidr_count(const IpPrefix& range, std::uint8_t mask);
/// Index of the pod CIDR that contains the address; nothing: outside the range, or no pod CIDRs.
std::optional<std::uint64_t> pod_cidr_index(const IpPrefix& range, std::uint8_t mask,
                                            IpAddress address);

/// Minimum number of node creations, in both clusters together, until a pod CIDR of one overlaps
/// one of the other. 0: now; nothing: never. Pod CIDRs in use stay in use.
struct UntilConflict {
  /// If both allocators start at 0: new clusters, or after a restart of the controller.
  std::optional<std::uint64_t> nodes;
  /// If each allocator continues at `next` or restarts at 0. Replaced nodes have advanced `next`,
  /// so this is never more than `nodes`.
  std::optional<std::uint64_t> creations;
};
UntilConflict until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges
