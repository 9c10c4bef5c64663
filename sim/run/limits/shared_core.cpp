#include "sim/run/limits/shared_core.h"

#include <algorithm>
#include <vector>

#include "sim/run/limits/limits.h"

namespace overlane::run {

namespace {

/// The number of flows that each core of a node receives from other nodes.
using FlowsByCore = std::vector<std::uint32_t>;

std::vector<FlowsByCore> count_flows(const Network& network, const FlowTable& flows) {
  std::vector<FlowsByCore> counts;
  for (const host::Machine& machine : network.machines)
    counts.emplace_back(host::receive_queues(machine), 0);
  for (EndpointId client = 0; client < flows.all().size() * 2; client += 2) {
    const Endpoint& one = flows.end(client);
    const Endpoint& other = flows.end(client + 1);
    if (one.node == other.node) continue;
    for (const Endpoint* end : {&one, &other}) {
      FlowsByCore& cores = counts[end->node];
      if (end->receive_core < cores.size()) ++cores[end->receive_core];
    }
  }
  return counts;
}

/// The busiest core of the node with several flows, if another core has none.
std::optional<SharedReceiveCore> shared_core(const FlowsByCore& flows, std::uint32_t node,
                                             const NodePaths& paths, const Period& measured) {
  const auto idle = static_cast<std::uint32_t>(std::ranges::count(flows, 0u));
  if (idle == 0) return std::nullopt;
  std::optional<SharedReceiveCore> busiest;
  for (std::uint32_t core = 0; core < flows.size(); ++core) {
    if (flows[core] < 2) continue;
    const std::int64_t busy = busy_ppm(paths, node, core, measured);
    if (busy < kMinSharedBusyPpm || (busiest && busy <= busiest->busy_ppm)) continue;
    busiest = SharedReceiveCore{.node = node,
                                .core = core,
                                .flows = flows[core],
                                .queues = static_cast<std::uint32_t>(flows.size()),
                                .idle_cores = idle,
                                .busy_ppm = busy};
  }
  return busiest;
}

}  // namespace

std::int64_t busy_ppm(const NodePaths& paths, std::uint32_t node, std::uint32_t core,
                      const Period& measured) {
  const Picos busy = paths[node].cpu()[node].cores[core].server.busy(measured.to);
  return static_cast<std::int64_t>(WideInteger{busy.count} * 1'000'000 /
                                   (measured.to - measured.from).count);
}

std::optional<SharedReceiveCore> find_shared_core(const Network& network, const FlowTable& flows,
                                                  const NodePaths& paths, const Period& measured) {
  if (!network.costs || network.wire == cost::Wire::Veth) return std::nullopt;
  const std::vector<FlowsByCore> counts = count_flows(network, flows);
  std::optional<SharedReceiveCore> busiest;
  std::uint32_t nodes = 0;
  for (std::uint32_t node = 0; node < counts.size(); ++node) {
    if (network.machines[node].rps) continue;
    const auto found = shared_core(counts[node], node, paths, measured);
    if (!found) continue;
    ++nodes;
    if (!busiest || found->busy_ppm > busiest->busy_ppm) busiest = found;
  }
  if (busiest) busiest->more_nodes = nodes - 1;
  return busiest;
}

}  // namespace overlane::run
