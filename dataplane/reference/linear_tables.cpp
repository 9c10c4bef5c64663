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

/// Replaces `found` if the candidate's prefix is longer. Layers are offered in order of precedence,
/// so an equal length does not replace it.
void offer(FoundRoute& found, IpAddress address, const IpPrefix& prefix,
           const FoundRoute& candidate) {
  if (prefix.contains(address) && prefix.length() > found.length) {
    found = candidate;
    found.length = prefix.length();
  }
}

bool no_route(const node::PeerRoute& route) {
  return route.via == node::PeerRoute::Via::None;
}

/// The route to a peer's pod CIDR by its template; nullopt if the template gives none.
std::optional<node::Route> to_peer(const node::PeerRoute& route, const node::Member& peer,
                                   bool ipv4) {
  node::Route result{.device = route.device,
                     .onlink = route.onlink,
                     .protocol = route.protocol,
                     .mtu = route.mtu,
                     .table = route.table};
  const node::MemberAddresses& addresses = ipv4 ? *peer.ipv4 : *peer.ipv6;
  const auto& underlay = route.underlay == Family::Ipv4 ? peer.ipv4 : peer.ipv6;
  if (no_route(route)) return std::nullopt;
  if (route.via == node::PeerRoute::Via::Unreachable) result.kind = node::RouteKind::Unreachable;
  if (route.via == node::PeerRoute::Via::NodeAddress) result.via = addresses.node;
  if (route.via == node::PeerRoute::Via::TunnelAddress) result.via = addresses.tunnel;
  if (route.via == node::PeerRoute::Via::Ipv4Compatible) {
    if (!peer.ipv4) return std::nullopt;
    result.via = IpAddress::parse("::" + peer.ipv4->node.to_string()).value();
  }
  if (route.via == node::PeerRoute::Via::TunnelMap) {
    if (!underlay) return std::nullopt;
    result.tunnel_destination = underlay->node;
  }
  return result;
}

/// Whether a route is valid: a unicast route needs a device that exists and is up.
bool counts(const NodeState& state, const node::Route& route) {
  if (route.kind != node::RouteKind::Unicast) return true;
  for (const node::Device& device : state.devices) {
    if (device.name == route.device) return device.up;
  }
  return false;
}

void offer_pod_cidrs(FoundRoute& found, const NodeState& state, IpAddress address,
                     const PrefixIndex* index) {
  const bool ipv4 = address.is_ipv4();
  const node::PeerRoutes& routes = ipv4 ? state.cluster->ipv4 : state.cluster->ipv6;
  if (no_route(routes.same_subnet) && no_route(routes.other_subnet) && no_route(routes.encrypted))
    return;
  const auto& members = state.cluster->members();
  const Candidates peers = candidates(*state.cluster, index, address);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const node::Member& peer = members[peers[i]];
    const auto& addresses = ipv4 ? peer.ipv4 : peer.ipv6;
    if (!addresses || !addresses->pod_cidr.contains(address)) continue;
    if (&peer == &members[state.self.value]) continue;
    const IpPrefix pod_cidr = addresses->pod_cidr;
    const bool same = peer.subnet == members[state.self.value].subnet;
    auto route = to_peer(routes.encrypted, peer, ipv4);
    if (!route || !counts(state, *route))
      route = to_peer(same ? routes.same_subnet : routes.other_subnet, peer, ipv4);
    if (!route || is_removed(state, pod_cidr) || !counts(state, *route)) continue;
    offer(found, address, pod_cidr, {.route = *route});
  }
}

}  // namespace

FoundRoute find_route(const NodeState& state, IpAddress address, const PrefixIndex* members) {
  FoundRoute found;
  for (const auto& [prefix, route] : state.routes) {
    if (prefix.contains(address) && counts(state, route)) {
      offer(found, address, prefix, {.route = route});
    }
  }
  for (const node::LocalPod& pod : state.pods) {
    if (pod.address != address) continue;
    const IpPrefix prefix = IpPrefix::host(pod.address);
    if (is_removed(state, prefix)) continue;
    offer(found, address, prefix,
          {.route = {.device = state.pod_device(pod.address)}, .pod = &pod});
  }
  offer_pod_cidrs(found, state, address, members);
  return found;
}

bool has_address(const NodeState& state, IpAddress address) {
  for (const node::Device& device : state.devices) {
    for (const IpAddress own : device.addresses) {
      if (own == address) return true;
    }
  }
  for (const IpPrefix& prefix : state.local_routes) {
    if (prefix.contains(address)) return true;
  }
  const bool is_ipvs = state.services && state.services->proxy() == node::ServiceProxy::Ipvs;
  for (std::size_t i = 0; is_ipvs && i < state.services->services().size(); ++i)
    if (state.services->services()[i].front.address == address) return true;
  return own_address(state, address.is_ipv4()) == address;
}

std::optional<IpAddress> own_address(const NodeState& state, bool ipv4) {
  const node::Member& self = state.cluster->members()[state.self.value];
  const auto& addresses = ipv4 ? self.ipv4 : self.ipv6;
  return addresses ? std::optional(addresses->node) : std::nullopt;
}

const node::FabricRoute* find_route(const node::FabricState& fabric, std::uint32_t instance,
                                    IpAddress address, const FabricIndex* index) {
  const std::uint32_t table = fabric.subnets[fabric.instances[instance].subnet].route_table;
  const auto& routes = fabric.route_tables[table].routes;
  const Candidates inspected =
      index == nullptr ? Candidates(routes.size()) : index->routes[table].candidates(address);
  const node::FabricRoute* best = nullptr;
  int best_length = -1;
  for (std::size_t i = 0; i < inspected.size(); ++i) {
    const auto& [prefix, route] = routes.begin()[inspected[i]];
    if (!prefix.contains(address) || prefix.length() <= best_length) continue;
    best = &route;
    best_length = prefix.length();
  }
  return best;
}

std::optional<std::uint32_t> find_instance(const node::FabricState& fabric, IpAddress address,
                                           const FabricIndex* index) {
  const Candidates inspected =
      index == nullptr ? Candidates(fabric.instances.size()) : index->instances.candidates(address);
  for (std::size_t n = 0; n < inspected.size(); ++n) {
    const std::uint32_t i = inspected[n];
    for (const IpAddress own : fabric.instances[i].addresses) {
      if (own == address) return i;
    }
    for (const IpPrefix& prefix : fabric.instances[i].prefixes) {
      if (prefix.contains(address)) return i;
    }
  }
  return std::nullopt;
}

}  // namespace overlane::reference
