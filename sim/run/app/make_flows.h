#pragma once

#include <vector>

#include "sim/run/app/flow.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::run {

// The flows of a run when it begins: sockets, addresses, source ports, cores and the time of each
// application's first turn, from the traffic groups and random streams of the run's seed. The two
// functions below make_flows() determine what a socket gets from the states; they are used again
// when a connection or a pod is replaced during the run.

/// Makes the flows of `traffic` on `network`, numbered through all groups. `traffic` must
/// outlive the table.
FlowTable make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options);

/// MTU of the path to the socket's peer, as the socket on this node knows it, bytes.
std::uint32_t mtu_of(const node::NodeState& state, const SocketAddresses& socket, bool on_node);

/// Address and port to which the client of a flow sends: those of `server` at its current place, or
/// those of the Service in front of it.
node::Endpoint asked_by(const TrafficGroup& group, const ServiceFronts& fronts, const Flow& flow,
                        const SocketAddresses& server);

}  // namespace overlane::run
