#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::live {

using manifest::Field;
using manifest::Located;

/// A Kubernetes Node: what concerns its pods' traffic.
struct ObservedNode {
  std::string name;
  SourceLocation place;
  std::vector<Located<IpPrefix>> pod_cidrs;  ///< `spec.podCIDRs`, or the older `spec.podCIDR`.
  bool has_pod_cidr = false;                 ///< Also true of ranges that could not be read.
  /// The condition NetworkUnavailable.
  Field<std::string> unavailable;  ///< "True", "False" or "Unknown".
  std::string reason;              ///< Such as RouteCreated, NoRouteCreated, CalicoIsUp.
};

/// An IPPool of Calico.
struct ObservedPool {
  std::string name;
  SourceLocation place;
  Field<IpPrefix> cidr;
  Field<std::string> ipip_mode;   ///< Absent: Never.
  Field<std::string> vxlan_mode;  ///< Absent: Never.
  Field<std::int64_t> block_size;
  Field<bool> nat_outgoing;
  Field<bool> disabled;
};

/// Settings by their names, with their places.
using Settings = std::map<std::string, Located<std::string>, std::less<>>;

/// What a running cluster shows of its pod network, as kubectl prints it.
struct Observed {
  std::vector<ObservedNode> nodes;
  std::vector<ObservedPool> pools;
  Settings felix_environment;    ///< Of the container calico-node, with a value of its own.
  Settings felix_configuration;  ///< Of the FelixConfiguration `default`.
  Settings calico_config;        ///< `data` of the ConfigMap calico-config.
  Settings cilium_config;        ///< `data` of the ConfigMap cilium-config.
  std::size_t objects = 0;       ///< Of these kinds.
  Findings findings;             ///< What could not be read, and what is of no use here.

  bool shows_calico() const;
};

/// Reads Nodes, IPPools (crd.projectcalico.org/v1 and projectcalico.org/v3), FelixConfigurations,
/// the DaemonSet calico-node and the ConfigMaps calico-config and cilium-config. Every other kind
/// is named once, in a note.
Observed decode_observed(const document::Stream& stream);

}  // namespace overlane::live
