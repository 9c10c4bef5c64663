#pragma once

#include "dataplane/node/state/fabric_state.h"
#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/topology.h"

namespace overlane::compile {

// The VPC of a shoot as a state: route tables with the routes that the cloud's controller writes
// (up to the quota), instances with their allowed addresses, security groups and firewall rules.

/// The VPC as infrastructure and route controllers configure it. Routes that the provider would
/// refuse are omitted, with a finding: `route-quota` beyond a table's quota, `route-inside-subnet`
/// for a pod CIDR in a subnet's range where the provider protects subnets.
node::FabricState fabric_state(const graph::Topology& topology,
                               const effective::EffectiveDataplane& shoot, Findings& findings);

}  // namespace overlane::compile
