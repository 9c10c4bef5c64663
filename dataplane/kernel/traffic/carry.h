#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <vector>

#include "dataplane/kernel/traffic/cpu_times.h"
#include "dataplane/kernel/traffic/flow.h"
#include "results/finding/result.h"

namespace overlane::kernel {

/// How long flows run: `warm_up` that does not count, then `counted`.
struct FlowTimes {
  std::chrono::milliseconds warm_up{200};
  std::chrono::milliseconds counted{500};
};

struct Carried {
  std::vector<FlowFigures> flows;  ///< In the order of the flows.
  std::chrono::nanoseconds counted{};
  CpuTimes cpu;  ///< Of the whole machine meanwhile.
};

/// Runs all flows at once over the kernel, each with a thread for its client and one for its
/// server, and real sockets in their namespaces. Fails if a socket cannot be made; a flow that does
/// not get through has a `failure`. Ends early if `stop` is set: then nothing counts.
Parsed<Carried> carry(std::span<const Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop);

}  // namespace overlane::kernel
