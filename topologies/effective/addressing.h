#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/basis.h"
#include "topologies/effective/given_ranges.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

/// The address ranges of a pod network and how many nodes they hold.
struct Addressing {
  std::vector<GivenRange> given;  ///< Of the three lists below, what documents give.
  Decided<std::vector<IpPrefix>> pods;
  Decided<std::vector<IpPrefix>> services;
  Decided<std::vector<IpPrefix>> nodes;
  Decided<std::uint32_t> max_pods;
  /// The mask that the shoot's spec has once it is admitted; for IPv4, if that is among the
  /// families …
  Decided<std::int64_t> spec_node_mask;
  Decided<std::int64_t> node_cidr_mask_size;       ///< … and that of the nodes' real pod ranges.
  Decided<std::optional<std::int64_t>> max_nodes;  ///< Nothing: not known.
};

/// Gardener's default node mask: a node gets twice as many addresses as it may run pods
/// (gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go).
std::int64_t default_node_mask(std::uint32_t max_pods);

/// Gardener's default mask for IPv6 (the same file).
inline constexpr std::int64_t kDefaultNodeMaskIpv6 = 64;

/// How many nodes fit: by pod CIDRs of `mask` in `pods` and by addresses in `nodes`, the smaller
/// of the two (gardener/gardener pkg/gardenlet/operation/botanist/clusterautoscaler.go). 0 if not
/// even one pod CIDR or one node fits.
std::int64_t node_limit(const IpPrefix& pods, std::int64_t mask, const IpPrefix& nodes);

/// How many node pod CIDRs of `mask` lie in `pods`.
std::int64_t pod_cidr_count(const IpPrefix& pods, std::int64_t mask);

/// IPv4 ranges that no document gives come from a named default and are marked assumed. There is
/// none for IPv6: such a list is empty.
Addressing decide_addressing(const manifest::PodNetworkSpec& spec,
                             const provider::Profile& provider, const Families& families);

}  // namespace overlane::effective
