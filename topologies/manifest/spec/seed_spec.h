#pragma once

#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

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

}  // namespace overlane::manifest
