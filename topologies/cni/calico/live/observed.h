#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/cni/extension/live_comparison.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::calico {

using manifest::Field;

/// An IPPool.
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

/// Calico's objects in a running cluster.
struct Observed {
  std::vector<ObservedPool> pools;
  cni::Settings felix_environment;    ///< Variables with a value of the container calico-node.
  cni::Settings felix_configuration;  ///< Of the FelixConfiguration `default`.
  cni::Settings calico_config;        ///< `data` of the ConfigMap calico-config.

  bool empty() const;
};

/// IPPools and FelixConfigurations (crd.projectcalico.org/v1 and projectcalico.org/v3), the
/// DaemonSet calico-node and the ConfigMap calico-config.
inline constexpr cni::ObservedKind kObservedKinds[] = {
    {"IPPool", "crd.projectcalico.org/", "projectcalico.org/"},
    {"FelixConfiguration", "crd.projectcalico.org/", "projectcalico.org/"},
    {"DaemonSet", "apps/", "apps/"},
    {"ConfigMap", "v1", "v1"},
};
/// Adds an object of these kinds.
void decode(const ObjectName& name, const document::Value& root, document::Problems& problems,
            Observed& observed);

}  // namespace overlane::calico
