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

// Compares a running cluster with the shoot's manifest: pod CIDRs and conditions of Nodes here,
// and the objects of the shoot's CNI (Calico's IPPools, Cilium's ConfigMap) in topologies/cni. A
// difference is a finding at the object of the cluster. The expected values are those that
// topologies/derive computes from the manifest.

// Reads the output of `kubectl get -o yaml` for Nodes and the objects of each known CNI. Contents
// of other kinds are ignored and never shown, since such output may contain secrets.
namespace overlane::live {

using cni::ObservedNode;
using manifest::Field;
using manifest::Located;

/// Objects of one CNI.
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

/// A shoot and its running cluster.
struct LiveInputs : cni::LiveInputs {
  const Observed& observed;
};

/// Differences between the two. Findings are about the shoot and located in the cluster's objects.
Findings compare(const LiveInputs& inputs);

/// The rules of compare() and of decode_observed().
std::vector<const rules::Rule*> rules();

}  // namespace overlane::live
