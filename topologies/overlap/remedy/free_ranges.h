#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/overlap/remedy/wanted.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

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
  /// answer is stable: after the first shoot was created as proposed, it starts with the second.
  /// Fewer than wanted: no more are free.
  std::vector<Proposal> propose(const Wanted& wanted) const;
  /// Without services.
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
  std::vector<IpPrefix> services_;  ///< Of the domain's shoots, in order.
  std::vector<IpPrefix> others_;    ///< `used_` without services, which may repeat.
};

}  // namespace overlane::overlap
