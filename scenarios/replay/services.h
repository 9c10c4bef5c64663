#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/kernel/set_up/node_ports.h"
#include "dataplane/kernel/traffic/probes.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::replay {

// The Services by which pods are asked during a replay. kube-proxy's rules in the nodes' namespaces
// translate them. Each of the two CoreDNS pods has a Service of its own, so that it is known which
// pod a query was for; the pod of each node has a NodePort.

struct ReplayedServices {
  std::array<std::uint32_t, 2> dns_nodes{};  ///< migration::dns_nodes().
  std::array<IpAddress, 2> dns_addresses;    ///< The ClusterIPs of the CoreDNS pods.
  std::vector<kernel::NodePort> node_ports;

  /// Where pods ask the CoreDNS pod of a node; nothing if it has none.
  std::optional<kernel::ServiceAddress> dns_of(std::uint32_t node) const;
  /// Where clients ask the pod of `node` by an address of another node.
  static kernel::ServiceAddress node_port_of(std::uint32_t node, const IpAddress& other_node);
};

/// Adds the Services to the states of a switch. Returns nothing, and adds none, if the shoot has no
/// kube-proxy or its pods have no IPv4 addresses.
std::optional<ReplayedServices> add_services(migration::Transition& transition);

}  // namespace overlane::replay
