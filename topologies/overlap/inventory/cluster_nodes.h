#pragma once

#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/inventory/shoot.h"

// Kubernetes Nodes among the input say which pod CIDRs of a shoot are in use
// (`node.spec.podCIDRs`). From these follows after how many node creations two shoots get the same
// addresses. A Node does not name its shoot, so it is matched by the technical id in its name or
// providerID, or by its addresses. Nodes of no shoot are reported once per file.
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

/// Whether the document is a Kubernetes Node.
bool is_node(const document::Tree& tree);
/// Removes the Nodes from the stream. Adds findings about invalid Nodes to it.
std::vector<ClusterNode> take_nodes(document::Stream& stream);

/// Sets the pod CIDRs of each shoot, ordered by creation of its Nodes. A Node does not name its
/// shoot: it belongs to the shoot whose technical id its name or providerID starts with, else to
/// the only shoot whose ranges contain its addresses. The rest is one note `node-of-no-shoot` per
/// file.
void attach_nodes(const std::vector<ClusterNode>& nodes, std::vector<Shoot>& shoots,
                  Findings& findings);

/// The minimum of nodes: the number of its Nodes, or the workers' minimum.
std::int64_t nodes_of(const Shoot& shoot);

}  // namespace overlane::overlap
