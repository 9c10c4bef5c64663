#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "topologies/cni/extension/live_comparison.h"

namespace overlane::calico {

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
