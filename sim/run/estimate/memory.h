#pragma once

#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::run {

/// Estimated memory of a run beyond `network` itself: flows with their sockets, cache entries and
/// timers, the state that nodes learn, stations, and packets in flight, as many as windows and
/// queues allow. Within a factor of three for many flows.
Bytes estimate_memory(const Network& network, const std::vector<TrafficGroup>& traffic,
                      Picos duration);

/// Estimated memory of the states, machines and pods of `network` itself.
Bytes estimate_memory(const Network& network);

}  // namespace overlane::run
