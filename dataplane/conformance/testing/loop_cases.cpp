#include <fmt/format.h>

#include "dataplane/conformance/testing/corrupt_headers.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

/// A tunnel packet inside a tunnel packet, both addressed to the node.
Case twice(const Tunnel& tunnel) {
  const NodeState node = make_cluster(tunnel.shape).nodes[0];
  const Bytes once = kernel::wire_bytes(node, tunnel.arriving());
  // A tunnel packet with an inner packet of the needed size, which is replaced below.
  forward::Packet carrier = tunnelled(
      tunnel.shape, udp(tunnel.arriving().outer.source, tunnel.arriving().outer.destination,
                        static_cast<std::uint32_t>(once.size())));
  Bytes bytes = kernel::wire_bytes(node, carrier);
  std::ranges::copy(once, bytes.end() - static_cast<std::ptrdiff_t>(once.size()));
  sum_again(layout_of(tunnel), bytes);
  Arrival arrival = from_uplink(carrier);
  arrival.bytes = bytes;
  arrival.lie = "a tunnel packet inside";
  return {fmt::format("{} in {} for the node is taken off once", tunnel.name, tunnel.name),
          tunnel.shape,
          unchanged,
          {arrival},
          {"unsupported-protocol"},
          "the kernel takes off one header after the other and delivers what it finds"};
}

/// A route that leads to the far end of a tunnel through the tunnel itself.
Case into_itself(const Tunnel& tunnel) {
  const auto lead_in = [tunnel](NodeState& s) {
    const IpAddress far_end = tunnel.arriving().outer.source;
    const auto to_pods = lookup(s, tunnel.far_pod());
    node::NodeEditor(s).set_route(IpPrefix::host(far_end), to_pods->route);
  };
  return {fmt::format("{} whose far end lies behind itself", tunnel.name),
          tunnel.shape,
          lead_in,
          {from_pod(udp(tunnel.own_pod(), tunnel.far_pod()))},
          {"tunnel-loop"},
          ""};
}

}  // namespace

std::vector<Case> loop_cases() {
  std::vector<Case> rows;
  for (const Tunnel& tunnel : tunnels()) {
    const bool carries_underlay = tunnel.underlay() == tunnel.pods;
    if (!carries_underlay) continue;
    rows.push_back(twice(tunnel));
    rows.push_back(into_itself(tunnel));
  }
  return rows;
}

}  // namespace overlane::conformance::testing
