#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/machines/machine_types.h"
#include "topologies/provider/profile.h"

namespace overlane::manifest {
struct Infrastructure;
struct ShootSpec;
}  // namespace overlane::manifest

namespace overlane::effective {

// The machine type of a shoot's nodes and its known properties. A CloudProfile or
// NamespacedCloudProfile gives the cores of a type (`spec.machineTypes[].cpu`); all other figures
// come from the cloud's publications (topologies/provider/machines). A figure that the cloud does
// not publish is empty; the caller chooses a default and reports it.

struct NodeMachine {
  /// The type of the worker pool with the largest minimum of nodes, the first one of several.
  /// Empty: no pool names a type.
  std::string type;
  std::string pool;  ///< Name of that worker pool.
  SourceLocation place;
  std::vector<std::string> other_types;  ///< Types of the other pools, in order of first use.
  std::optional<std::uint32_t> cores;
  std::string cores_source;       ///< Source of `cores`.
  bool cores_by_profile = false;  ///< A CloudProfile of the input gives `cores`.
  std::optional<provider::KnownMachine> published;

  /// "Amazon EC2, 2026-08-02": where published figures come from; empty if there are none.
  std::string published_in() const;
};

/// The machine type of the shoot's nodes. `provider` is `spec.provider.type`; it may be empty.
NodeMachine node_machine(const manifest::PodNetworkSpec& spec, std::string_view provider);

/// "2 cores, 750 Mbit/s sustained, 10 Gbit/s in bursts".
std::string describe_machine(const NodeMachine& machine);

/// "750 Mbit/s", "3.125 Gbit/s".
std::string mbps_text(std::uint64_t mbps);

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
  bool by_zone = false;           ///< A document gives each zone a subnet of its own.
  std::vector<NodeSubnet> given;  ///< Subnets whose ranges documents give; may lack some or all.

  /// The subnet with exactly this zone; null: no document gives its range.
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
