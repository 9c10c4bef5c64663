#include "dataplane/reference/linear_tables.h"

namespace overlane::reference {
namespace {

using node::NodeState;

bool is_removed(const NodeState& state, const IpPrefix& prefix) {
  for (const IpPrefix& removed : state.removed) {
    if (removed == prefix) return true;
  }
  return false;
}

/// Takes the route when it is longer than what was found: layers come nearest first, so an equal
/// length does not win.
void offer(FoundRoute& found, IpAddress address, const IpPrefix& prefix,
           const FoundRoute& candidate) {
  if (prefix.contains(address) && prefix.length() > found.length) {
    found = candidate;
    found.length = prefix.length();
  }
}

node::Route to_peer(const node::PeerRoute& route, const node::Member& peer) {
  const bool by_tunnel = route.via == node::PeerRoute::Via::TunnelAddress;
  return {.device = route.device,
          .via = by_tunnel ? peer.tunnel_address : peer.address,
          .onlink = route.onlink,
          .protocol = route.protocol,
          .mtu = route.mtu};
}

}  // namespace

FoundRoute find_route(const NodeState& state, IpAddress address) {
  FoundRoute found;
  for (const auto& [prefix, route] : state.routes)
    offer(found, address, prefix, {.route = route});
  for (const node::LocalPod& pod : state.pods) {
    const IpPrefix prefix = IpPrefix::host(pod.address);
    if (is_removed(state, prefix)) continue;
    offer(found, address, prefix,
          {.route = {.device = node::pod_device(pod.address)}, .pod = &pod});
  }
  const auto& members = state.cluster->members;
  const std::uint32_t own_subnet = members[state.self.value].subnet;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const node::PeerRoute& route =
        members[i].subnet == own_subnet ? state.cluster->same_subnet : state.cluster->other_subnet;
    if (i == state.self.value || route.via == node::PeerRoute::Via::None) continue;
    if (is_removed(state, members[i].pod_slice)) continue;
    offer(found, address, members[i].pod_slice, {.route = to_peer(route, members[i])});
  }
  return found;
}

bool has_address(const NodeState& state, IpAddress address) {
  for (const node::Device& device : state.devices) {
    if (device.address == address) return true;
  }
  return state.cluster->members[state.self.value].address == address;
}

const node::FabricRoute* find_route(const node::FabricState& fabric, std::uint32_t instance,
                                    IpAddress address) {
  const std::uint32_t subnet = fabric.instances[instance].subnet;
  const node::FabricRoute* best = nullptr;
  int best_length = -1;
  for (const auto& [prefix, route] :
       fabric.route_tables[fabric.subnets[subnet].route_table].routes) {
    if (!prefix.contains(address) || prefix.length() <= best_length) continue;
    best = &route;
    best_length = prefix.length();
  }
  return best;
}

std::optional<std::uint32_t> find_instance(const node::FabricState& fabric, IpAddress address) {
  for (std::uint32_t i = 0; i < fabric.instances.size(); ++i) {
    for (const IpAddress own : fabric.instances[i].addresses) {
      if (own == address) return i;
    }
  }
  return std::nullopt;
}

}  // namespace overlane::reference
