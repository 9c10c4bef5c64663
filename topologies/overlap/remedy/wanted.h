#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::overlap {

/// What is wanted for new shoots.
struct Wanted {
  std::size_t shoots = 1;
  std::optional<std::uint8_t> length;  ///< Of the pods' ranges; nothing: as `nodes` need …
  std::optional<std::int64_t> nodes;   ///< … that each is to hold; neither: /16, in IPv6 /56.
  effective::Provider provider{};
  std::optional<std::uint32_t> max_pods;  ///< Of a node; nothing: the provider's default.
  /// Where to look, in this order, all of one family; empty: default_pools().
  std::vector<IpPrefix> pools;

  bool is_ipv4() const { return pools.empty() || pools.front().is_ipv4(); }
  /// The length of the pod CIDR that each node takes.
  std::uint8_t node_mask() const;
  /// That of the pods' ranges; nothing: no range holds so many nodes.
  std::optional<std::uint8_t> pods_length() const;
  /// Why no shoot could have such pods, be they free or not: a phrase; empty: it could.
  std::string flaw() const;
};

/// The length of the range that holds a pod CIDR of that mask for each node; nothing: no range
/// does.
std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint8_t mask);

/// RFC 6598's shared addresses, which Gardener's own defaults are from, then RFC 1918's. On
/// alicloud without the first, where the cloud's own services are (Alibaba Cloud VPC documentation,
/// system routes).
std::vector<IpPrefix> default_pools(effective::Provider provider);

}  // namespace overlane::overlap
