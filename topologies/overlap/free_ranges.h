#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/overlap/position.h"

namespace overlane::overlap {

/// What is wanted for new shoots.
struct Wanted {
  std::size_t shoots = 1;
  std::optional<std::uint8_t> length;  ///< Of the pods' ranges; nothing: as `nodes` need …
  std::optional<std::int64_t> nodes;   ///< … that each is to hold; neither: kUsualLength.
  std::uint32_t max_pods = 110;        ///< Of a node: the kubelet's default.
  std::vector<IpPrefix> pools;         ///< Where to look, in this order; empty: default_pools().
};

/// RFC 6598's shared addresses, which Gardener's own defaults are from, then RFC 1918's. On
/// alicloud without the first, where the cloud's own services are (Alibaba Cloud VPC documentation,
/// system routes).
std::vector<IpPrefix> default_pools(effective::Provider provider);

/// Ranges that a new shoot in a domain can have.
struct Proposal {
  std::string routing_domain;
  IpPrefix pods;
  std::optional<IpPrefix> services;
  std::uint8_t node_cidr_mask_size = 0;
  std::int64_t max_nodes = 0;  ///< By the slices in `pods`.
};

/// Nothing that a domain uses, what it is connected with, or anybody reserves.
class FreeRanges {
 public:
  FreeRanges(const Inventory& inventory, const Positions& positions, std::uint32_t domain);

  /// The lowest pods that are free, each with services. The same question has the same answer
  /// while nobody takes the ranges, and once the first shoot is created as proposed, the answer
  /// begins with what was its second. Fewer than wanted: there are no more.
  std::vector<Proposal> propose(const Wanted& wanted) const;
  /// The same without services.
  std::vector<IpPrefix> pods(const Wanted& wanted) const;
  /// From now on the range is not free.
  void take(const IpPrefix& range) { used_.push_back(range); }

 private:
  std::optional<IpPrefix> services(const std::vector<IpPrefix>& pools) const;

  /// Of the pods' ranges; nothing: no range holds so many nodes.
  std::optional<std::uint8_t> length_of(const Wanted& wanted) const;
  std::vector<IpPrefix> pools_of(const Wanted& wanted) const;
  std::vector<IpPrefix> pods(const Wanted& wanted, std::vector<IpPrefix> blocked) const;

  std::string key_;
  effective::Provider provider_ = effective::Provider::Other;
  std::vector<IpPrefix> used_;      ///< By anybody, for anything.
  std::vector<IpPrefix> services_;  ///< Of the domain's shoots, in their order.
  std::vector<IpPrefix> others_;    ///< `used_` but for services, which may repeat.
};

/// The length of the pods' range that holds `nodes` of `max_pods` each; nothing: no range does.
std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint32_t max_pods, bool ipv4);

}  // namespace overlane::overlap
