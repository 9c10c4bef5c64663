#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "topologies/cni/extension/live_comparison.h"

namespace overlane::calico {

// The comparison of a running cluster with the manifest for `check --live`: IPPools,
// FelixConfiguration, the variables of the DaemonSet calico-node, the ConfigMap calico-config,
// and node conditions that calico-node left behind. What the last reconciliation wrote decides
// about packets, so a difference means that the manifest does not describe this cluster.
// observe() returns an empty collection; the caller feeds it each object of kObservedKinds and
// then compares once.

/// IPPools and FelixConfigurations (crd.projectcalico.org/v1 and projectcalico.org/v3), the
/// DaemonSet calico-node and the ConfigMap calico-config.
inline constexpr cni::ObservedKind kObservedKinds[] = {
    {"IPPool", "crd.projectcalico.org/", "projectcalico.org/"},
    {"FelixConfiguration", "crd.projectcalico.org/", "projectcalico.org/"},
    {"DaemonSet", "apps/", "apps/"},
    {"ConfigMap", "v1", "v1"},
};

// The comparison with a running cluster (cni::LiveComparison).
bool is_left_over(const effective::EffectiveDataplane& shoot, std::string_view reason);
std::unique_ptr<cni::ObservedObjects> observe();
std::vector<const rules::Rule*> live_rules();

}  // namespace overlane::calico
