#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/cni/extension/live_comparison.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/spec/pod_network_spec.h"

// `overlane check --live`: compares a running cluster, given as the output of `kubectl get -o
// yaml`, with the shoot's manifest. This folder compares pod CIDRs and conditions of Nodes;
// topologies/cni compares the objects of the shoot's CNI (Calico's IPPools, Cilium's ConfigMap). A
// difference is a finding at the object of the cluster. The expected values are those that
// topologies/derive computes from the manifest. Contents of other kinds are ignored and never
// shown, since such output may contain secrets. The functions have no state and may be called on
// any thread.
namespace overlane::live {

using cni::ObservedNode;
using manifest::Field;
using manifest::Located;

/// The objects of one CNI that the cluster has.
struct ObservedCni {
  const cni::Profile* cni;
  std::unique_ptr<cni::ObservedObjects> objects;
};

/// A running cluster's pod network, as kubectl prints its objects.
struct Observed {
  std::vector<ObservedNode> nodes;
  std::vector<ObservedCni> cnis;  ///< In the order of cni::profiles().
  std::size_t objects = 0;        ///< Number of objects that are compared.
  Findings findings;              ///< Objects that cannot be read, and kinds that are not compared.
};

/// Reads Nodes and the objects of each CNI. Every other kind is named once, in a note.
Observed decode_observed(const document::Stream& stream);

/// A shoot as its manifest describes it, and its running cluster.
struct LiveInputs : cni::LiveInputs {
  const Observed& observed;
};

/// Differences between manifest and cluster: findings about the shoot, located in the cluster's
/// objects.
Findings compare(const LiveInputs& inputs);

/// The rules of compare() and of decode_observed().
std::vector<const rules::Rule*> rules();

}  // namespace overlane::live
