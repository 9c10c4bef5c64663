#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/spec/cloud_profile.h"
#include "topologies/manifest/spec/seed_spec.h"
#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::manifest {

/// A document that contributed.
struct Source {
  ObjectName object;
  SourceLocation place;
};

/// One pod network as its documents give it, without defaults. Precedence: the Network, then the
/// Shoot, then additions of Cluster, Infrastructure, ControlPlane and Worker.
struct PodNetworkSpec {
  ObjectName object;  ///< The Shoot, else the Network.
  SourceLocation place;
  std::vector<Source> sources;  ///< The object's own document first.
  Field<std::string> live;      ///< Evidence that the object was read from a landscape.
  /// Admission runs on the result: a patch or an update changes the spec of a live object.
  bool is_changed = false;
  Located<std::string> type;                           ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;         ///< Absent means IPv4.
  Field<std::vector<std::string>> status_ip_families;  ///< Families that the CNI configured.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< The extension's NetworkConfig; absent root: not given.
  ShootSpec shoot;
  // Shared by all shoots that name them; nullptr: not given.
  std::shared_ptr<const SeedSpec> seed;
  /// Seeds that the scheduler could choose for a shoot that names none.
  std::vector<std::shared_ptr<const SeedSpec>> possible_seeds;
  std::shared_ptr<const CloudProfileSpec> cloud_profile;
};

/// `spec` with a JSON merge patch (RFC 7386) applied to its providerConfig. A patch that the config
/// contains leaves the spec unchanged.
PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const document::Value& patch);

}  // namespace overlane::manifest
