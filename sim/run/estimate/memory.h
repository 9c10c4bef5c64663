#pragma once

#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::run {

/// What carrying `traffic` over `network` will about take, beyond `network` itself: flows with
/// their sockets, trails and timers, what nodes learn of them, stations, and packets in flight as
/// far as windows and queues let them pile up. Of many flows it is within a factor of three.
Bytes estimate_memory(const Network& network, const std::vector<TrafficGroup>& traffic,
                      Picos duration);

/// The states, machines and pods of `network` itself, about.
Bytes estimate_memory(const Network& network);

}  // namespace overlane::run
