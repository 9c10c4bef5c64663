#pragma once

#include "topologies/cni/extension/live_comparison.h"

namespace overlane::cilium {

// The comparison of a running cluster with the manifest for `check --live`: agents follow the
// ConfigMap cilium-config, so a setting that differs from the derived dataplane means that the
// manifest does not describe this cluster. observe() returns an empty collection; the caller
// feeds it each object of kObservedKinds and then compares once.

/// Cilium's objects in a running cluster: the ConfigMap cilium-config.
inline constexpr cni::ObservedKind kObservedKinds[] = {{"ConfigMap", "v1", "v1"}};

// The comparison with a running cluster (cni::LiveComparison).
std::unique_ptr<cni::ObservedObjects> observe();
std::vector<const rules::Rule*> live_rules();

}  // namespace overlane::cilium
