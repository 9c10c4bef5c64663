#include "dataplane/node/state/node_state.h"

#include <algorithm>
#include <map>

namespace overlane::node {
namespace {

const PeerRoute& template_of(const NodeState& state, const Member& peer, Family family) {
  const PeerRoutes& routes = state.cluster->routes(family);
  const bool encrypts = routes.can_encrypt() && state.is_up(routes.encrypted.device);
  return routes.between(state.member(), peer, encrypts);
}

RouteMatch pod_route(const NodeState& state, const LocalPod& pod) {
  return {.destination = IpPrefix::host(pod.address),
          .route = {.device = state.pod_device(pod.address), .protocol = RouteProtocol::Boot},
          .pod = &pod};
}

/// The route to a peer's pod CIDR, unless its template says that there is none.
std::optional<RouteMatch> pod_cidr_route(const NodeState& state, const IpPrefix& pod_cidr,
                                         MemberIndex index) {
  if (index == state.self) return std::nullopt;
  const Member& peer = state.cluster->members()[index.value];
  const Family family = pod_cidr.network().family();
  const MemberAddresses& addresses = *peer.in(family);
  const PeerRoute& peer_route = template_of(state, peer, family);
  RouteMatch match{.destination = pod_cidr,
                   .route = {.device = peer_route.device,
                             .onlink = peer_route.onlink,
                             .protocol = peer_route.protocol,
                             .mtu = peer_route.mtu,
                             .table = peer_route.table},
                   .peer = &peer};
  switch (peer_route.via) {
    case PeerRoute::Via::None:
      return std::nullopt;
    case PeerRoute::Via::NodeAddress:
      match.route.via = addresses.node;
      return match;
    case PeerRoute::Via::TunnelAddress:
      match.route.via = addresses.tunnel;
      return match;
    case PeerRoute::Via::Ipv4Compatible:
      if (!peer.ipv4) return std::nullopt;
      match.route.via = ipv4_compatible(peer.ipv4->node.ipv4());
      return match;
    case PeerRoute::Via::Device:
      return match;
    case PeerRoute::Via::TunnelMap:
      if (peer.in(peer_route.underlay) == nullptr) return std::nullopt;
      match.route.tunnel_destination = peer.in(peer_route.underlay)->node;
      return match;
    case PeerRoute::Via::Unreachable:
      match.route.kind = RouteKind::Unreachable;
      return match;
  }
  return std::nullopt;
}

bool is_removed(const NodeState& state, const IpPrefix& destination) {
  return std::ranges::binary_search(state.removed, destination);
}

/// A kernel flushes the routes through a device that goes down or away, and takes the next best
/// (fib_sync_down_dev, net/ipv4/fib_semantics.c).
bool is_alive(const NodeState& state, const Route& route) {
  return route.kind != RouteKind::Unicast || state.is_up(route.device);
}

}  // namespace

std::optional<RouteMatch> derived_route(const NodeState& state, const IpPrefix& destination) {
  if (destination.is_host()) {
    if (const LocalPod* pod = state.find_pod(destination.network())) return pod_route(state, *pod);
  }
  if (const MemberIndex* index = state.cluster->pod_cidrs().find(destination)) {
    return pod_cidr_route(state, destination, *index);
  }
  return std::nullopt;
}

std::optional<RouteMatch> lookup(const NodeState& state, IpAddress destination) {
  const auto* own = state.routes.longest_match(
      destination, [&](const IpPrefix&, const Route& route) { return is_alive(state, route); });
  const int own_bits = own == nullptr ? -1 : own->first.bits();
  if (own == nullptr || !own->first.is_host()) {
    const LocalPod* pod = state.find_pod(destination);
    if (pod != nullptr && !is_removed(state, IpPrefix::host(destination)))
      return pod_route(state, *pod);
  }
  std::optional<RouteMatch> to_peer;
  state.cluster->pod_cidrs().longest_match(
      destination, [&](const IpPrefix& pod_cidr, const MemberIndex& member) {
        if (pod_cidr.bits() <= own_bits || is_removed(state, pod_cidr)) return false;
        to_peer = pod_cidr_route(state, pod_cidr, member);
        return to_peer && is_alive(state, to_peer->route);
      });
  if (to_peer && is_alive(state, to_peer->route)) return to_peer;
  if (own == nullptr) return std::nullopt;
  return RouteMatch{.destination = own->first, .route = own->second};
}

std::optional<RouteMatch> find_route(const NodeState& state, const IpPrefix& destination) {
  const Route* own = state.routes.find(destination);
  if (own != nullptr && is_alive(state, *own)) return RouteMatch{destination, *own};
  if (is_removed(state, destination)) return std::nullopt;
  auto derived = derived_route(state, destination);
  if (derived && derived->pod == nullptr && !is_alive(state, derived->route)) return std::nullopt;
  return derived;
}

std::vector<RouteMatch> main_table(const NodeState& state) {
  std::map<IpPrefix, RouteMatch> table;
  for (const auto& [destination, route] : state.routes) {
    if (is_alive(state, route)) table[destination] = {.destination = destination, .route = route};
  }
  for (const LocalPod& pod : state.pods) {
    const RouteMatch match = pod_route(state, pod);
    if (!is_removed(state, match.destination)) table.try_emplace(match.destination, match);
  }
  for (const auto& [prefix, index] : state.cluster->pod_cidrs()) {
    const auto match = pod_cidr_route(state, prefix, index);
    if (!match || is_removed(state, prefix) || !is_alive(state, match->route)) continue;
    table.try_emplace(prefix, *match);
  }
  std::vector<RouteMatch> routes;
  for (auto& [destination, match] : table)
    routes.push_back(std::move(match));
  return routes;
}

}  // namespace overlane::node
