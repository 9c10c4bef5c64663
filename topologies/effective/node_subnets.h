#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/provider/profile.h"

namespace overlane::manifest {
struct Infrastructure;
struct ShootSpec;
}  // namespace overlane::manifest

namespace overlane::effective {

// The subnets of a shoot's nodes: AWS and Alicloud have one per zone, GCP and OpenStack one for all
// zones, Azure one of both (provider::SubnetLayout). Addresses of machines, the reach of a direct
// route between nodes, and Calico's CrossSubnet depend on them. Values; any thread.

/// A subnet whose range a document gives.
struct NodeSubnet {
  std::string zone;  ///< Empty: all zones.
  Ipv4Prefix cidr;

  auto operator<=>(const NodeSubnet&) const = default;
};

struct NodeSubnets {
  bool by_zone = false;           ///< A document gives each zone its own.
  std::vector<NodeSubnet> given;  ///< May lack some or all.

  /// With exactly this zone; null: no document gives it.
  const NodeSubnet* find(std::string_view zone) const;

  bool operator==(const NodeSubnets&) const = default;
};

/// Whether the InfrastructureStatus or the InfrastructureConfig has subnets of zones.
bool has_subnets_by_zone(const manifest::Infrastructure& infrastructure);

/// The subnets with their ranges. An InfrastructureStatus takes precedence over the
/// InfrastructureConfig, and both over a single range in `status.networking.nodes`, which is all
/// that is known of a subnet from a subnet pool.
NodeSubnets node_subnets(const manifest::ShootSpec& shoot, const provider::Profile& provider);

}  // namespace overlane::effective
