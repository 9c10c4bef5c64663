#pragma once

#include "topologies/cni/extension/profile.h"

namespace overlane::cilium {

// Cilium as Gardener installs it: gardener-extension-networking-cilium renders the chart and the
// ConfigMap cilium-config from a shoot's NetworkConfig, and cilium-agent configures each node
// from it, mostly with eBPF programs. The folder has the same parts as that of Calico: config.h,
// dataplane.h, rule_tables.h, node.h and live.h. Only the profile is used from outside.

/// gardener-extension-networking-cilium.
extern const cni::Profile kCilium;

}  // namespace overlane::cilium
