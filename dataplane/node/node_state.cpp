#include "dataplane/node/node_state.h"

#include <algorithm>
#include <map>

namespace overlane::node {
namespace {

const PeerRoute& peer_route(const NodeState& state, const Member& peer) {
  return peer.subnet == state.member().subnet ? state.cluster->same_subnet
                                              : state.cluster->other_subnet;
}

RouteMatch pod_route(const LocalPod& pod) {
  return {.destination = IpPrefix::host(pod.address),
          .route = {.device = pod_device(pod.address), .protocol = RouteProtocol::Boot},
          .pod = &pod};
}

/// The route to a peer's slice, unless its template says that there is none.
std::optional<RouteMatch> slice_route(const NodeState& state, MemberIndex index) {
  if (index == state.self) return std::nullopt;
  const Member& peer = state.cluster->members[index.value];
  const PeerRoute& route = peer_route(state, peer);
  if (route.via == PeerRoute::Via::None) return std::nullopt;
  const bool to_node = route.via == PeerRoute::Via::NodeAddress;
  return RouteMatch{.destination = peer.pod_slice,
                    .route = {.device = route.device,
                              .via = to_node ? peer.address : peer.tunnel_address,
                              .onlink = route.onlink,
                              .protocol = route.protocol,
                              .mtu = route.mtu},
                    .peer = &peer};
}

bool is_removed(const NodeState& state, const IpPrefix& destination) {
  return std::ranges::binary_search(state.removed, destination);
}

/// The entry of exactly this prefix in the two derived layers, hidden or not.
std::optional<RouteMatch> derived_route(const NodeState& state, const IpPrefix& destination) {
  if (destination.is_host()) {
    if (const LocalPod* pod = state.find_pod(destination.network())) return pod_route(*pod);
  }
  if (const MemberIndex* index = state.cluster->slices.find(destination)) {
    return slice_route(state, *index);
  }
  return std::nullopt;
}

}  // namespace

std::optional<RouteMatch> lookup(const NodeState& state, IpAddress destination) {
  const auto* own = state.routes.longest_match(destination);
  const int own_bits = own == nullptr ? -1 : own->first.bits();
  if (own == nullptr || !own->first.is_host()) {
    const LocalPod* pod = state.find_pod(destination);
    if (pod != nullptr && !is_removed(state, IpPrefix::host(destination))) return pod_route(*pod);
  }
  const auto* slice = state.cluster->slices.longest_match(destination);
  if (slice != nullptr && slice->first.bits() > own_bits && !is_removed(state, slice->first)) {
    if (auto match = slice_route(state, slice->second)) return match;
  }
  if (own == nullptr) return std::nullopt;
  return RouteMatch{.destination = own->first, .route = own->second};
}

std::vector<RouteMatch> main_table(const NodeState& state) {
  std::map<IpPrefix, RouteMatch> table;
  for (const auto& [destination, route] : state.routes)
    table[destination] = {.destination = destination, .route = route};
  for (const LocalPod& pod : state.pods) {
    const RouteMatch match = pod_route(pod);
    if (!is_removed(state, match.destination)) table.try_emplace(match.destination, match);
  }
  for (const auto& [prefix, index] : state.cluster->slices) {
    const auto match = slice_route(state, index);
    if (match && !is_removed(state, prefix)) table.try_emplace(prefix, *match);
  }
  std::vector<RouteMatch> routes;
  for (auto& [destination, match] : table)
    routes.push_back(std::move(match));
  return routes;
}

bool remove_route(NodeState& state, const IpPrefix& destination) {
  const bool was_own = state.routes.erase(destination);
  const bool was_derived =
      !is_removed(state, destination) && derived_route(state, destination).has_value();
  if (was_derived) {
    state.removed.insert(std::ranges::lower_bound(state.removed, destination), destination);
  }
  if (!was_own && !was_derived) return false;
  ++state.generation;
  return true;
}

void set_route(NodeState& state, const IpPrefix& destination, Route route) {
  const auto derived = derived_route(state, destination);
  if (derived && derived->route == route) {
    std::erase(state.removed, destination);
    state.routes.erase(destination);
  } else {
    state.routes.set(destination, std::move(route));
  }
  ++state.generation;
}

}  // namespace overlane::node
