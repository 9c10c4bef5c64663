#pragma once

#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

// Turns an effective dataplane and a topology into the states that executors run: one
// node::NodeState per node and one node::FabricState for the VPC. The states hold what a kernel
// and a cloud would hold, line by line: devices, routes, neighbours, filters. They are the input
// of simulator, trace, reachability and testbed alike. All functions are pure, except that
// add_services() changes its argument. The states do not refer to the topology or the shoot.

/// The states that executors run. `nodes`, the topology's nodes and the fabric's instances have the
/// same numbering.
struct Compiled {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  /// Missing routes to pods: refused by the provider (quota, subnet) or written by nothing.
  Findings findings;
  /// The provider's nameservers in the VPC. They belong to no instance, and forward() drops packets
  /// to them; path::trace() delivers these.
  std::vector<IpAddress> nameservers;
};

/// Why compile() fails for this dataplane; nullopt: it does not. `unsupported-encryption`:
/// WireGuard around a tunnel; `unsupported-ip-family`: IPv6 on providers whose pods have none and
/// in overlays that are not modelled with IPv6.
std::optional<Finding> refusal(const effective::EffectiveDataplane& shoot);

/// The node states and the fabric state that Gardener, the CNI and the cloud configure for this
/// dataplane. Fails with refusal().
Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot);

/// The kernel configuration of each node, all of them with one cluster table: uplink, pods, sysctls
/// and masquerading, which all nodes have, and what the CNI's agent writes (cni::NodeCompiler).
std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const effective::EffectiveDataplane& shoot);

/// The VPC as infrastructure and route controllers configure it: route tables, instances with their
/// allowed addresses, security groups and firewall rules. Routes that the provider would refuse are
/// omitted, with a finding: `route-quota` beyond a table's quota, `route-inside-subnet` for a pod
/// CIDR in a subnet's range where the provider protects subnets.
node::FabricState fabric_state(const graph::Topology& topology,
                               const effective::EffectiveDataplane& shoot, Findings& findings);

/// The proxy that translates Services in a shoot; nullopt for a declarative network type that
/// replaces kube-proxy, which is not modelled.
std::optional<node::ServiceProxy> service_proxy(effective::ServiceRouting routing);

/// Adds these Services to all nodes, translated as by kube-proxy or the CNI's agent. Does not
/// change the states where service_proxy() is nullopt. Fails like node::ServiceTable::make().
Result<void> add_services(std::vector<node::Service> services,
                          const effective::EffectiveDataplane& shoot, std::uint64_t seed,
                          Compiled& states);

}  // namespace overlane::compile
