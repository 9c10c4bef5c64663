#include "dataplane/node/state/socket_route.h"

#include <algorithm>

namespace overlane::node {
namespace {

/// The device that a route's packets have their source from.
const Device* source_device(const NodeState& state, const Route& route) {
  if (!route.tunnel_destination) return state.find_device(route.device);
  const auto host = std::ranges::find(state.devices, DeviceKind::Loopback, &Device::kind);
  return host == state.devices.end() ? nullptr : &*host;
}

}  // namespace

SocketRoute socket_route(const NodeState& state, IpAddress destination) {
  const Family family = destination.family();
  SocketRoute way{.source = state.address(family).value_or(IpAddress{})};
  const auto match = lookup(state, destination);
  if (!match) return way;
  const Device* leaves = state.find_device(match->route.device);
  if (match->pod != nullptr) way.mtu = match->pod->mtu;
  if (leaves != nullptr) way.mtu = leaves->mtu;
  way.mtu = mtu_by(match->route, way.mtu);
  const Device* source = source_device(state, match->route);
  if (source != nullptr) way.source = source->address(family).value_or(way.source);
  return way;
}

}  // namespace overlane::node
