#pragma once

#include <cstdint>
#include <optional>

#include "sim/run/limits/limits.h"
#include "sim/run/run.h"

namespace overlane::run {

// A NIC spreads flows over receive queues by a hash (RSS). With few flows, or if the hashed headers
// do not distinguish them, several flows have one core while others receive nothing. That core may
// then limit all of them, although the node as a whole is idle. Another hash key, or other ports,
// would give another result.

/// Minimum share of the measured time that a shared core must be busy to be reported, in parts per
/// million. A core below it has room for another flow.
inline constexpr std::int64_t kMinSharedBusyPpm = 500'000;

/// The busiest shared core of all nodes. Nothing without CPU costs, between namespaces, and on
/// nodes whose kernel spreads the packets (RPS).
std::optional<SharedReceiveCore> find_shared_core(const Network& network, const FlowTable& flows,
                                                  const NodePaths& paths, const Period& measured);

}  // namespace overlane::run
