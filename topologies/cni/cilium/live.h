#pragma once

#include "topologies/cni/extension/live_comparison.h"

namespace overlane::cilium {

/// Cilium's objects in a running cluster: the ConfigMap cilium-config.
inline constexpr cni::ObservedKind kObservedKinds[] = {{"ConfigMap", "v1", "v1"}};

// The comparison with a running cluster (cni::LiveComparison).
std::unique_ptr<cni::ObservedObjects> observe();
std::vector<const rules::Rule*> live_rules();

}  // namespace overlane::cilium
