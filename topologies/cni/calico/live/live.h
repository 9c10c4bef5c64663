#pragma once

#include "topologies/cni/calico/live/observed.h"

namespace overlane::calico {

/// A shoot, and the nodes and Calico's objects in its cluster.
struct ObservedInputs : cni::LiveInputs {
  std::span<const cni::ObservedNode> nodes;
  const Observed& observed;
};

/// Conditions of nodes that calico-node set for another dataplane.
std::span<const rules::Check<ObservedInputs>> condition_checks();
/// IPPools compared with the manifest.
std::span<const rules::Check<ObservedInputs>> pool_checks();
/// Settings of calico-node compared with the manifest.
std::span<const rules::Check<ObservedInputs>> felix_checks();

// The comparison with a running cluster (cni::LiveComparison).
bool is_left_over(const effective::EffectiveDataplane& shoot, std::string_view reason);
std::unique_ptr<cni::ObservedObjects> observe();
std::vector<const rules::Rule*> live_rules();

}  // namespace overlane::calico
