#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace overlane::run {

// A NIC spreads flows over receive queues by a hash (RSS). With few flows, or if the hashed headers
// do not distinguish them, several flows have one core while others receive nothing. That core may
// then limit all of them, although the node as a whole is idle. Another hash key, or other ports,
// would give another result.

struct Network;
struct FlowTable;
class NodePaths;
struct Period;

/// Minimum share of the measured time that a shared core must be busy to be reported, in parts per
/// million. A core below it has room for another flow.
inline constexpr std::int64_t kMinSharedBusyPpm = 500'000;

/// A core that receives several flows from other nodes while another core with a receive queue
/// receives none.
struct SharedReceiveCore {
  std::uint32_t node = 0;
  std::uint32_t core = 0;
  std::uint32_t flows = 0;       ///< At least 2.
  std::uint32_t queues = 0;      ///< Cores of the node that have a receive queue.
  std::uint32_t idle_cores = 0;  ///< Cores with a queue that receive no flow; at least 1.
  std::int64_t busy_ppm = 0;     ///< Share of the measured time, with all work of the core.
  std::uint32_t more_nodes = 0;  ///< Further nodes with such a core.

  auto operator<=>(const SharedReceiveCore&) const = default;
};

/// Share of the measured time that a core was busy, in parts per million.
std::int64_t busy_ppm(const NodePaths& paths, std::uint32_t node, std::uint32_t core,
                      const Period& measured);

/// The busiest shared core of all nodes. Nothing without CPU costs, between namespaces, and on
/// nodes whose kernel spreads the packets (RPS).
std::optional<SharedReceiveCore> find_shared_core(const Network& network, const FlowTable& flows,
                                                  const NodePaths& paths, const Period& measured);

}  // namespace overlane::run
