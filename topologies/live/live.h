#pragma once

#include <span>

#include "topologies/cni/extension/live_comparison.h"
#include "topologies/live/observed.h"
#include "topologies/manifest/spec/pod_network_spec.h"

// Compares a running cluster with the shoot's manifest: pod CIDRs and conditions of Nodes here,
// and the objects of the shoot's CNI (Calico's IPPools, Cilium's ConfigMap) in topologies/cni. A
// difference is a finding at the object of the cluster. The expected values are those that
// topologies/derive computes from the manifest.
namespace overlane::live {

/// A shoot and its running cluster.
struct LiveInputs : cni::LiveInputs {
  const Observed& observed;
};

/// Differences between the two. Findings are about the shoot and located in the cluster's objects.
Findings compare(const LiveInputs& inputs);

/// The rules of compare() and of decode_observed().
std::vector<const rules::Rule*> rules();

}  // namespace overlane::live
