#pragma once

#include "bench/engine/workload.h"

namespace overlane::bench {

/// Carries a workload's datagrams with the least that any packet engine has to do, as a yardstick
/// for the engine on the same machine: events of 16 bytes in a timing wheel, one of them pending
/// for each pipe, departures computed on arrival, packets of one cache line in a pool, and routes
/// that are resolved ahead. There are no decisions, states, drops, encapsulation or statistics but
/// counts, and no CPU costs.
///
/// `events`, `packets` and `packet_hops` are counted as the engine's. Fails for TCP and for CPU
/// costs, and unless every datagram arrived.
Parsed<Figures> measure_limit(const Workload& workload);

}  // namespace overlane::bench
