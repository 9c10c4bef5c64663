#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace overlane::run {

// A core serves its work in the order of arrival. Linux lets an application that wakes up, as one
// that serves requests, run before one that has used much of the core's time, as one that reads or
// writes a stream. So requests that share a busy core with streams wait too long here.

struct Network;
struct FlowTable;
class NodePaths;
struct Period;

/// A core on which applications of requests and of TCP streams run.
struct QueuedRequests {
  std::uint32_t node = 0;
  std::uint32_t core = 0;
  std::uint32_t group = 0;    ///< Traffic group of requests.
  std::int64_t busy_ppm = 0;  ///< Share of the measured time, with all work of the core.

  auto operator<=>(const QueuedRequests&) const = default;
};

/// The busiest such core that is busy for at least kMinSharedBusyPpm (shared_core.h). Nothing
/// without CPU costs.
std::optional<QueuedRequests> find_queued_requests(const Network& network, const FlowTable& flows,
                                                   const NodePaths& paths, const Period& measured);

}  // namespace overlane::run
