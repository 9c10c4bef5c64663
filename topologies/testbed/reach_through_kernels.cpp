#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/reference/byte_node.h"
#include "topologies/path/walk.h"
#include "topologies/testbed/reach.h"

namespace overlane::testbed {
namespace {

using forward::Packet;

bool has_metadata_mode(const compile::Compiled& states) {
  return std::ranges::any_of(states.nodes, [](const node::NodeState& state) {
    return std::ranges::any_of(state.devices, &node::Device::external);
  });
}

kernel::Launch launch(const compile::Compiled& states, const Verdict& verdict) {
  const node::NodeState& state = states.nodes[verdict.trip.from_node];
  return {verdict.trip.from_node, kernel::inject(state, packet_of(verdict.trip),
                                                 forward::Ingress::Pod, verdict.core ? 1 : 0)};
}

/// Evaluates a trip.
void judge(const std::vector<kernel::Arrival>& arrivals, const compile::Compiled& states,
           Verdict& verdict) {
  std::uint32_t bytes = forward::kIpv4HeaderBytes;
  verdict.ended = "no node received a packet of it";
  for (const kernel::Arrival& arrival : arrivals) {
    const Packet packet =
        reference::decode(arrival.packet, node::tunnel_ports(states.nodes[arrival.node]));
    if (packet.inner.is_icmp()) {
      verdict.ended = fmt::format("its sender heard from {}", packet.inner.source.to_string());
    } else if (packet.inner.destination == verdict.trip.destination) {
      bytes += packet.inner.payload_bytes();
    }
  }
  verdict.kernel = bytes >= verdict.trip.bytes;
  if (verdict.kernel) verdict.ended.clear();
}

}  // namespace

std::string obstacle(const compile::Compiled& states) {
  if (has_metadata_mode(states)) {
    return "frames in its tunnels are readdressed by an eBPF program, which no kernel here has";
  }
  const auto fabric = kernel::fabric_set_up(states.fabric, {});
  return fabric ? "" : fabric.error();
}

Parsed<Reach> reach_through_kernels(const compile::Compiled& states, const std::vector<Trip>& trips,
                                    kernel::Place place, const kernel::InnerCommand& inner) {
  compile::Compiled judged = states;
  judged.fabric = kernel::without_what_is_left(states.fabric);
  Reach reach{.left_out = kernel::left_to_the_model(states.fabric)};
  std::vector<kernel::Launch> launches;
  for (const Trip& trip : trips) {
    const path::Walk walk = path::walk(judged, trip.from_node, packet_of(trip));
    reach.verdicts.push_back({trip, false, walk.delivered(), ""});
    launches.push_back(launch(states, reach.verdicts.back()));
  }
  auto cluster = kernel::make_cluster_experiment(states.nodes, states.fabric, std::move(launches));
  if (!cluster) return fail(cluster.error());
  const auto answer = kernel::ask(place, {.clusters = {*std::move(cluster)}}, inner);
  if (!answer) return fail(answer.error());
  reach.kernel = answer->kernel;
  const auto& arrivals = answer->arrivals.at(0);
  if (!arrivals) return fail(arrivals.error());
  for (std::size_t i = 0; i < reach.verdicts.size(); ++i)
    judge((*arrivals)[i], states, reach.verdicts[i]);
  return reach;
}

}  // namespace overlane::testbed
