#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

// What shoots inherit from the garden: a Seed's networks and defaults, and a CloudProfile's
// regions, machine types and limits. Many shoots name the same object, so GardenObjects decodes
// each once. Seed ranges are checked as Gardener's validation does, including ranges reserved
// for the VPN between seed and shoots.

/// A range that Gardener reserves for the VPN between a seed and its shoots.
struct ReservedRange {
  IpPrefix range;
  const char* purpose;  ///< What it maps: "the seed's pods".
};

/// gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go.
std::span<const ReservedRange> reserved_ranges();

/// The networks of a Seed and its defaults for shoots (gardener/gardener
/// pkg/apis/core/v1beta1/types_seed.go, SeedNetworks).
struct SeedSpec {
  std::string name;
  SourceLocation place;
  Field<std::string> provider;
  Field<std::string> region;
  Field<IpPrefix> nodes;
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  Field<IpPrefix> default_pods;      ///< `networks.shootDefaults.pods`.
  Field<IpPrefix> default_services;  ///< `networks.shootDefaults.services`.
  Field<std::vector<std::string>> ip_families;
};

/// `seed`: a Seed, or one that a Cluster embeds.
SeedSpec decode_seed(const document::Value& seed, document::Problems& problems);

struct MachineType {
  std::string name;
  Field<std::string> cpu;  ///< A Kubernetes quantity, as written.
  Field<std::string> memory;
  Field<bool> usable;
};

struct Region {
  std::string name;
  std::vector<std::string> zones;
};

/// The networking limits of a CloudProfile or NamespacedCloudProfile (gardener/gardener
/// pkg/apis/core/v1beta1/types_cloudprofile.go).
struct CloudProfileSpec {
  std::string kind;
  std::string name;
  SourceLocation place;
  Field<std::string> provider;
  Field<std::int64_t> max_nodes_total;  ///< `limits.maxNodesTotal`.
  std::vector<MachineType> machine_types;
  std::vector<Region> regions;
  Field<std::string> parent;  ///< A NamespacedCloudProfile's CloudProfile.
};

/// `profile`: a CloudProfile or NamespacedCloudProfile, or one that a Cluster embeds.
CloudProfileSpec decode_cloud_profile(const document::Value& profile, document::Problems& problems);

/// Fills absent values of `child` from its parent.
void inherit(const CloudProfileSpec& parent, CloudProfileSpec& child);

}  // namespace overlane::manifest
