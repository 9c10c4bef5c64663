#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/prefix.h"

// Models how kube-controller-manager allocates pod CIDRs to nodes, to compute after how many node
// creations two clusters with overlapping pod ranges allocate overlapping pod CIDRs.
namespace overlane::ranges {

/// The pod CIDRs into which Kubernetes' RangeAllocator
/// (pkg/controller/nodeipam/ipam/cidrset/cidr_set.go) divides a cluster's pod range, one per node.
/// A new node gets the first free one from `next` on, wrapping around at the end of the range;
/// `next` then follows it. A deleted node frees its pod CIDR, but `next` stays. When the controller
/// starts, `next` is 0.
struct PodCidrAllocation {
  IpPrefix range;
  std::uint8_t mask = 0;            ///< Prefix length of a pod CIDR, in its family.
  std::vector<std::uint64_t> used;  ///< Indices of pod CIDRs in use, ascending, each less than
                                    ///< pod_cidr_count().
  std::uint64_t next = 0;           ///< Index, less than pod_cidr_count().
};

/// Number of pod CIDRs in a range: 0 if the mask is 0, shorter than the range or more than 62 bits
/// longer. (Kubernetes starts with a mask at most 16 bits longer for IPv6, with any for IPv4.)
std::uint64_t pod_cidr_count(const IpPrefix& range, std::uint8_t mask);
/// Index of the pod CIDR that contains the address; nullopt if the address is outside the range, or
/// if there are no pod CIDRs.
std::optional<std::uint64_t> pod_cidr_index(const IpPrefix& range, std::uint8_t mask,
                                            IpAddress address);

/// Minimum number of node creations, in both clusters together, until a pod CIDR of one overlaps a
/// pod CIDR of the other. 0: now; empty: never. Pod CIDRs in use stay in use.
struct UntilConflict {
  /// If both allocators start at 0, as in new clusters or after a restart of the controller.
  std::optional<std::uint64_t> nodes;
  /// If each allocator continues at `next` or restarts at 0. Replaced nodes have advanced `next`,
  /// so this is never more than `nodes`.
  std::optional<std::uint64_t> creations;
};
UntilConflict until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b);

}  // namespace overlane::ranges
