#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/overlap/remedy/wanted.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// Ranges that a new shoot in a domain can have.
struct Proposal {
  std::string routing_domain;
  IpPrefix pods;
  std::optional<IpPrefix> services;
  std::uint8_t node_cidr_mask_size = 0;
  std::int64_t max_nodes = 0;  ///< By the pod CIDRs in `pods`.
};

/// Nothing that a domain uses, what it is connected with, or anybody reserves.
class FreeRanges {
 public:
  FreeRanges(const Inventory& inventory, const RoutingScopes& routing_scopes, std::uint32_t domain);

  /// The lowest pods that are free, each with services, for shoots of the domain's provider. The
  /// same question has the same answer while nobody takes the ranges, and once the first shoot is
  /// created as proposed, the answer begins with what was its second. Fewer than wanted: there are
  /// no more.
  std::vector<Proposal> propose(const Wanted& wanted) const;
  /// The same without services.
  std::vector<IpPrefix> pods(const Wanted& wanted) const;
  /// From now on the range is not free.
  void take(const IpPrefix& range) { used_.push_back(range); }

 private:
  std::optional<IpPrefix> services(const std::vector<IpPrefix>& pools) const;
  std::vector<IpPrefix> pools_of(const Wanted& wanted) const;
  std::vector<IpPrefix> pods(const Wanted& wanted, const std::vector<IpPrefix>& blocked) const;

  std::string key_;
  effective::Provider provider_{};
  std::vector<IpPrefix> used_;      ///< By anybody, for anything.
  std::vector<IpPrefix> services_;  ///< Of the domain's shoots, in their order.
  std::vector<IpPrefix> others_;    ///< `used_` but for services, which may repeat.
};

}  // namespace overlane::overlap
