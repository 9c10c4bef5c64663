#pragma once

#include "topologies/cni/calico/live/observed.h"

namespace overlane::calico {

/// A shoot and Calico's objects in its cluster.
struct ObservedInputs : cni::LiveInputs {
  const Observed& observed;
};

/// IPPools compared with the manifest.
std::span<const rules::Check<ObservedInputs>> pool_checks();
/// Settings of calico-node compared with the manifest.
std::span<const rules::Check<ObservedInputs>> felix_checks();

// The comparison with a running cluster (cni::LiveComparison).
std::unique_ptr<cni::ObservedObjects> observe();
std::vector<const rules::Rule*> live_rules();

}  // namespace overlane::calico
