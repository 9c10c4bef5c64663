#include "sim/run/limits/queued_requests.h"

#include <map>
#include <utility>

#include "sim/run/limits/limits.h"
#include "sim/run/limits/shared_core.h"

namespace overlane::run {

namespace {

using model::TrafficKind;

/// What runs on a core.
struct CoreUse {
  bool has_streams = false;
  std::optional<std::uint32_t> requests;  ///< The first group of requests.
};

}  // namespace

std::optional<QueuedRequests> find_queued_requests(const Network& network, const FlowTable& flows,
                                                   const NodePaths& paths, const Period& measured) {
  if (!network.costs) return std::nullopt;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CoreUse> cores;
  for (EndpointId id = 0; id < flows.all().size() * 2; ++id) {
    const TrafficKind kind = flows.group_of(id).kind;
    const Endpoint& end = flows.end(id);
    const NodeCores& node = paths[end.node].cpu()[end.node];
    // Namespaces share the cores of one machine.
    CoreUse& core = cores[{node.is_shared ? 0 : end.node, end.application_core(node)}];
    if (kind == TrafficKind::Tcp) core.has_streams = true;
    if (kind == TrafficKind::RequestResponse && !core.requests)
      core.requests = flows.flow_of(id).group;
  }
  std::optional<QueuedRequests> busiest;
  for (const auto& [place, core] : cores) {
    if (!core.has_streams || !core.requests) continue;
    const std::int64_t busy = busy_ppm(paths, place.first, place.second, measured);
    if (busy < kMinSharedBusyPpm || (busiest && busy <= busiest->busy_ppm)) continue;
    busiest = QueuedRequests{place.first, place.second, *core.requests, busy};
  }
  return busiest;
}

}  // namespace overlane::run
