#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/state/services.h"

namespace overlane::kernel {

/// A Service's port on all nodes (type NodePort, externalTrafficPolicy: Cluster), with one
/// endpoint. The model of a node has no NodePorts, so a SetUp does not contain them.
struct NodePort {
  std::uint16_t port = 0;
  std::uint8_t protocol = 0;  ///< TCP or UDP.
  node::Endpoint endpoint;
};

/// Adds kube-proxy's iptables rules for NodePorts to the commands of a node's set_up(): connections
/// to the port of any address of the node get the endpoint as their destination, and
/// kube-proxy's mark, by which the node masquerades them.
void add_node_ports(std::span<const NodePort> node_ports, std::vector<Command>& commands);

}  // namespace overlane::kernel
