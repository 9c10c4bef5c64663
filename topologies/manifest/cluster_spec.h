#pragma once

#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/result.h"
#include "topologies/document/tree.h"
#include "topologies/manifest/shoot_spec.h"

namespace overlane::manifest {

/// One pod network as its documents give it, nothing defaulted: from a Shoot, a Cluster's embedded
/// shoot, or a Network with what its Cluster adds.
struct ClusterSpec {
  ObjectName object;  ///< The Shoot or Network.
  Place place;
  Field<std::string> live;  ///< What shows that the object was read from a landscape.
  Given<std::string> type;  ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;  ///< Not given means IPv4.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< The extension's own; absent root: none given.
  ShootSpec shoot;
};

/// `spec` with a JSON merge patch (RFC 7386) laid over its providerConfig.
ClusterSpec with_network_config(const ClusterSpec& spec, const document::Value& patch);

}  // namespace overlane::manifest
