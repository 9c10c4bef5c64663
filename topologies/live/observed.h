#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/fields/given.h"

namespace overlane::live {

using manifest::Field;
using manifest::Located;

/// A Kubernetes Node: the fields that concern its pods' traffic.
struct ObservedNode {
  std::string name;
  SourceLocation place;
  std::vector<Located<IpPrefix>> pod_cidrs;  ///< `spec.podCIDRs`, or the older `spec.podCIDR`.
  bool has_pod_cidr = false;                 ///< Also true of ranges that cannot be read.
  /// The condition NetworkUnavailable.
  Field<std::string> unavailable;  ///< "True", "False" or "Unknown".
  std::string reason;              ///< Such as RouteCreated, NoRouteCreated, CalicoIsUp.
};

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

}  // namespace overlane::live
