#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::overlap {

/// The requested ranges of new shoots.
struct Wanted {
  std::size_t shoots = 1;
  std::optional<std::uint8_t> length;  ///< Of the pod ranges; nothing: as `nodes` require …
  std::optional<std::int64_t> nodes;   ///< … each; neither: /16, in IPv6 /56.
  effective::Provider provider{};
  std::optional<std::uint32_t> max_pods;  ///< Per node; nothing: the provider's default.
  /// The address space to search, in this order, of one family; empty: default_pools().
  std::vector<IpPrefix> pools;

  bool is_ipv4() const { return pools.empty() || pools.front().is_ipv4(); }
  /// The length of a node's pod CIDR.
  std::uint8_t node_mask() const;
  /// The length of the pod ranges; nothing: no range holds that many nodes.
  std::optional<std::uint8_t> pods_length() const;
  /// Why no shoot can have such pods, free or not; empty: it can.
  std::string flaw() const;
};

/// The length of a range with a pod CIDR of that mask for each node; nothing: there is none.
std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint8_t mask);

/// RFC 6598 (shared addresses, as in Gardener's defaults), then RFC 1918. On alicloud without the
/// first, which contains the cloud's services (Alibaba Cloud VPC documentation, system routes).
std::vector<IpPrefix> default_pools(effective::Provider provider);

}  // namespace overlane::overlap
