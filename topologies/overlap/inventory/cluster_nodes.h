#pragma once

#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// A Kubernetes Node of some shoot.
struct ClusterNode {
  ObjectName object;
  SourceLocation place;
  std::string provider_id;           ///< `spec.providerID`.
  std::string created;               ///< `metadata.creationTimestamp` (RFC 3339).
  std::vector<IpPrefix> pod_cidrs;   ///< `spec.podCIDRs`, or the older `spec.podCIDR`.
  std::vector<IpAddress> addresses;  ///< `status.addresses[]` of type InternalIP.
};

/// Whether it is a Kubernetes Node.
bool is_node(const document::Tree& tree);
/// Takes the Nodes out of the stream. What is wrong with one is a finding of the stream.
std::vector<ClusterNode> take_nodes(document::Stream& stream);

/// Gives each shoot its nodes' pod CIDRs, in order of the nodes' creation. A Node does not say
/// whose it is: its machine is often named after the shoot's technical id (in its name or
/// providerID); else its addresses must lie in the ranges of one shoot only. Nodes of nobody are a
/// note `node-of-no-shoot` for all of a file.
void attach_nodes(const std::vector<ClusterNode>& nodes, std::vector<Shoot>& shoots,
                  Findings& findings);

/// How many nodes the shoot has, at least: its Nodes, or its workers' least number.
std::int64_t nodes_of(const Shoot& shoot);

}  // namespace overlane::overlap
