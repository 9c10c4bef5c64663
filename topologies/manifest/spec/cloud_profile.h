#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

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
