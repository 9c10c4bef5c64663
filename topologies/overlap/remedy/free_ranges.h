#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/overlap/inventory/routing_scope.h"

// Free ranges for new shoots (`--propose`): pod and service ranges of the wanted size that overlap
// nothing in a routing domain, in the networks connected to it, or in reserved space. Pod ranges
// are found by ranges/free_space.h. Sizes follow Kubernetes: a pod range of length L with node mask
// M has 2^(M-L) pod CIDRs, one per node. The proposals are stable: after the first one is used, the
// next run starts with the second.
namespace overlane::overlap {

/// The requested ranges of new shoots.
struct Wanted {
  std::size_t shoots = 1;
  std::optional<std::uint8_t>
      length;  ///< Prefix length of the pod ranges; empty: as `nodes` require.
  std::optional<std::int64_t> nodes;  ///< Number of nodes per shoot; if both are empty: /16, in
                                      ///< IPv6 /56.
  effective::Provider provider{};
  std::optional<std::uint32_t> max_pods;  ///< Pods per node; empty: the provider's default.
  /// The address space to search, in this order, of one family; empty: default_pools().
  std::vector<IpPrefix> pools;

  bool is_ipv4() const { return pools.empty() || pools.front().is_ipv4(); }
  /// The length of a node's pod CIDR.
  std::uint8_t node_mask() const;
  /// The length of the pod ranges; nullopt if no range holds that many nodes.
  std::optional<std::uint8_t> pods_length() const;
  /// Why no shoot can have such pods, even with free ranges; empty if one can.
  std::string flaw() const;
};

/// Returns the prefix length of a range that holds one pod CIDR of length `mask` for each node;
/// nullopt if no range is large enough.
std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint8_t mask);

/// Pools to search by default: RFC 6598 (shared addresses, as in Gardener's defaults), then RFC
/// 1918. On alicloud only the latter, because the former contains the cloud's services (Alibaba
/// Cloud VPC documentation, system routes).
std::vector<IpPrefix> default_pools(effective::Provider provider);

/// Free ranges for a new shoot in a domain.
struct Proposal {
  std::string routing_domain;
  IpPrefix pods;
  std::optional<IpPrefix> services;
  std::uint8_t node_cidr_mask_size = 0;
  std::int64_t max_nodes = 0;  ///< Number of pod CIDRs in `pods`.
};

/// Finds ranges that neither the domain nor connected networks use, and that are not reserved.
class FreeRanges {
 public:
  FreeRanges(const Inventory& inventory, const RoutingScopes& routing_scopes, std::uint32_t domain);

  /// The lowest free pod ranges, each with services, for shoots of the domain's provider. The
  /// result is stable: after the first shoot was created as proposed, it starts with the second. If
  /// fewer ranges are free than wanted, it contains only those.
  std::vector<Proposal> propose(const Wanted& wanted) const;
  /// The pod ranges of propose().
  std::vector<IpPrefix> pods(const Wanted& wanted) const;
  /// Marks a range as used.
  void take(const IpPrefix& range) { used_.push_back(range); }

 private:
  std::optional<IpPrefix> services(const std::vector<IpPrefix>& pools) const;
  std::vector<IpPrefix> pools_of(const Wanted& wanted) const;
  std::vector<IpPrefix> pods(const Wanted& wanted, const std::vector<IpPrefix>& blocked) const;

  std::string key_;
  effective::Provider provider_{};
  std::vector<IpPrefix> used_;      ///< All ranges in use.
  std::vector<IpPrefix> services_;  ///< Service ranges of the domain's shoots, in order.
  std::vector<IpPrefix> others_;    ///< `used_` without service ranges, which several shoots may
                                    ///< share.
};

}  // namespace overlane::overlap
