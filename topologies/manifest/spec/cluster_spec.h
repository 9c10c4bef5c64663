#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/result.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/spec/cloud_profile.h"
#include "topologies/manifest/spec/seed_spec.h"
#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::manifest {

/// A document that took part.
struct Source {
  ObjectName object;
  SourceLocation place;
};

/// One pod network as its documents give it, nothing defaulted: what its Network says counts most,
/// then its Shoot, then what its Cluster, Infrastructure, ControlPlane and Worker add.
struct PodNetworkSpec {
  ObjectName object;  ///< The Shoot; the Network if there is no other.
  SourceLocation place;
  std::vector<Source> sources;  ///< The object's own document first.
  Field<std::string> live;      ///< What shows that the object was read from a landscape.
  Located<std::string> type;    ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;         ///< Not given means IPv4.
  Field<std::vector<std::string>> status_ip_families;  ///< Those that the CNI configured.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< The extension's own; absent root: none given.
  ShootSpec shoot;
  // Shared by all shoots that name them; nullptr: not given.
  std::shared_ptr<const SeedSpec> seed;
  std::shared_ptr<const CloudProfileSpec> cloud_profile;
};

/// `spec` with a JSON merge patch (RFC 7386) laid over its providerConfig.
PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const document::Value& patch);

}  // namespace overlane::manifest
