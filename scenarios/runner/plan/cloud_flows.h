#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/runner/load/prepare.h"
#include "sim/run/inputs/traffic_group.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::runner {

// The number of flows that a cloud sees between one node and all others while a variant runs.
// Clouds limit it for each machine (provider::FlowAllowance). A run does not model these limits; it
// reports a variant that may exceed one. Flows that exist at the same time count; connections that
// were closed during the run do not, although clouds keep some of them for a while.

/// The most flows that the cloud sees at one node.
struct CloudFlows {
  std::uint32_t node = 0;
  std::uint64_t flows = 0;
};

/// Counts the flows of the node that has most. `per_connection`: flows that the cloud counts for a
/// connection. Routed packets show the connections. In IP in IP and WireGuard, all packets between
/// two nodes are one connection. In VXLAN and Geneve, each direction of a connection has a source
/// port of its own, so that there are up to two connections.
CloudFlows most_cloud_flows(const std::vector<run::TrafficGroup>& traffic,
                            const effective::Dataplane& dataplane, std::uint32_t per_connection);

/// Returns a finding `unsupported-regime`, without the variant's name, if a node of the variant has
/// more flows than the cloud's limit or a documented threshold.
std::optional<Finding> too_many_flows(const Prepared& prepared,
                                      const effective::Dataplane& dataplane,
                                      const std::vector<run::TrafficGroup>& traffic);

}  // namespace overlane::runner
