#include "dataplane/node/state/node_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "dataplane/net/flow_hash.h"

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

/// Returns the route to a peer's pod CIDR; nothing if its template has no route.
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

/// Returns whether the route is usable. A kernel flushes the routes through a device that goes down
/// or disappears, and uses the next best route (fib_sync_down_dev, net/ipv4/fib_semantics.c).
bool is_alive(const NodeState& state, const Route& route) {
  return route.kind != RouteKind::Unicast || state.is_up(route.device);
}

/// Returns whether the packet reaches the device's socket or protocol handler.
bool receives(const Device& device, const TunnelKey& key) {
  return key.encapsulation != Encapsulation::None && device.encapsulation() == key.encapsulation &&
         device.underlay == key.source.family() && device.udp_port == key.udp_port;
}

/// Returns whether two shared values are the same object or equal.
template <typename T>
bool is_same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

/// Returns the device whose address is the source of packets by this route.
const Device* source_device(const NodeState& state, const Route& route) {
  if (!route.tunnel_destination) return state.find_device(route.device);
  const auto host = std::ranges::find(state.devices, DeviceKind::Loopback, &Device::kind);
  return host == state.devices.end() ? nullptr : &*host;
}

constexpr std::array kDefaultVxlanPorts{kCalicoVxlanPort, kCiliumVxlanPort};
constexpr std::array kDefaultGenevePorts{kGenevePort};
constexpr std::array kDefaultWireguardPorts{kCalicoWireguardPort, kCalicoWireguardPortV6,
                                            kCiliumWireguardPort};

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

std::optional<IpAddress> NodeState::address(Family family) const {
  const MemberAddresses* addresses = member().in(family);
  return addresses == nullptr ? std::nullopt : std::optional(addresses->node);
}

const Device* NodeState::find_device(DeviceName name) const {
  const auto at = std::ranges::find(devices, name, &Device::name);
  return at == devices.end() ? nullptr : &*at;
}

bool NodeState::is_up(DeviceName name) const {
  const Device* device = find_device(name);
  return device != nullptr && device->up;
}

const Device* NodeState::uplink() const {
  const auto at = std::ranges::find(devices, DeviceKind::Uplink, &Device::kind);
  return at == devices.end() ? nullptr : &*at;
}

const LocalPod* NodeState::find_pod(IpAddress address) const {
  const auto at = std::ranges::lower_bound(pods, address, {}, &LocalPod::address);
  return at != pods.end() && at->address == address ? &*at : nullptr;
}

bool NodeState::operator==(const NodeState& other) const {
  return is_same(cluster, other.cluster) && self == other.self && devices == other.devices &&
         pods == other.pods && routes == other.routes && removed == other.removed &&
         local_routes == other.local_routes && is_same(filter, other.filter) &&
         is_same(services, other.services) && sysctls == other.sysctls && kernel == other.kernel &&
         pod_device_prefix == other.pod_device_prefix;
}

DeviceName NodeState::pod_device(IpAddress address) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t bits = address.is_ipv4() ? address.low : flow_hash({.source = address});
  std::string name(pod_device_prefix.view());
  for (int shift = 28; shift >= 0; shift -= 4)
    name += kDigits[bits >> shift & 0xf];
  return std::string_view(name);
}

bool is_local(const NodeState& state, IpAddress address) {
  return state.address(address.family()) == address ||
         std::ranges::any_of(state.devices, [=](const Device& d) { return d.has(address); }) ||
         std::ranges::any_of(state.local_routes,
                             [=](const IpPrefix& prefix) { return prefix.contains(address); }) ||
         (state.services != nullptr && state.services->proxy() == ServiceProxy::Ipvs &&
          state.services->has(address));
}

const Device* receiving_device(const NodeState& state, const TunnelKey& key) {
  const Device* from_anywhere = nullptr;
  for (const Device& device : state.devices) {
    if (!receives(device, key)) continue;
    const bool has_vni = device.kind != DeviceKind::Wireguard && !device.external;
    if (has_vni && device.vni != key.vni) continue;
    if (device.remote == key.source) return &device;
    if (!device.remote && from_anywhere == nullptr) from_anywhere = &device;
  }
  return from_anywhere;
}

bool listens(const NodeState& state, const TunnelKey& key) {
  return std::ranges::any_of(state.devices, [&](const Device& device) {
    // A UDP socket receives packets from any source; a protocol handler looks for a tunnel first
    // (tunnel4_rcv, ip6_tnl_rcv).
    const bool by_socket = device.udp_port != 0;
    const bool is_meant = by_socket || !device.remote || device.remote == key.source;
    return device.up && receives(device, key) && is_meant;
  });
}

bool has_wireguard(const NodeState& state) {
  return std::ranges::find(state.devices, DeviceKind::Wireguard, &Device::kind) !=
         state.devices.end();
}

const Member* allowed_peer(const NodeState& state, const Device& device, IpAddress address) {
  const ClusterTable& table = *state.cluster;
  if (!device.allows_nodes && device.underlay != address.family()) return nullptr;
  const Member* node = device.allows_nodes ? table.with_node_address(address) : nullptr;
  const auto* pod_cidr = table.pod_cidrs().longest_match(address);
  const Member* owner = pod_cidr == nullptr ? nullptr : &table.members()[pod_cidr->second.value];
  const Member* peer = node != nullptr ? node : owner;
  return peer == &state.member() ? nullptr : peer;
}

std::uint32_t wireguard_index(const NodeState& state) {
  return state.self.value + 1;
}

const Member* wireguard_peer(const NodeState& state, std::uint32_t index) {
  const std::vector<Member>& members = state.cluster->members();
  const bool is_peer = index != 0 && index <= members.size() && index - 1 != state.self.value;
  return is_peer ? &members[index - 1] : nullptr;
}

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

Encapsulation TunnelPorts::at(std::uint16_t port, IpAddress source, IpAddress destination) const {
  if (std::ranges::find(vxlan, port) != vxlan.end()) return Encapsulation::Vxlan;
  if (std::ranges::find(geneve, port) != geneve.end()) return Encapsulation::Geneve;
  const bool is_own = own.empty() || std::ranges::find(own, source) != own.end() ||
                      std::ranges::find(own, destination) != own.end();
  if (is_own && std::ranges::find(wireguard, port) != wireguard.end())
    return Encapsulation::Wireguard;
  return Encapsulation::None;
}

std::vector<std::uint16_t> TunnelPorts::all() const {
  std::set<std::uint16_t> ports(vxlan.begin(), vxlan.end());
  ports.insert(geneve.begin(), geneve.end());
  return {ports.begin(), ports.end()};
}

TunnelPorts tunnel_ports(const NodeState& state) {
  TunnelPorts ports{.vxlan = {kDefaultVxlanPorts.begin(), kDefaultVxlanPorts.end()},
                    .geneve = {kDefaultGenevePorts.begin(), kDefaultGenevePorts.end()},
                    .wireguard = {kDefaultWireguardPorts.begin(), kDefaultWireguardPorts.end()},
                    .own = {}};
  for (const Family family : {Family::Ipv4, Family::Ipv6})
    if (const auto address = state.address(family)) ports.own.push_back(*address);
  for (const Device& device : state.devices) {
    ports.own.insert(ports.own.end(), device.addresses.begin(), device.addresses.end());
    if (device.kind == DeviceKind::Vxlan) ports.vxlan.push_back(device.udp_port);
    if (device.kind == DeviceKind::Geneve) ports.geneve.push_back(device.udp_port);
    if (device.kind == DeviceKind::Wireguard) ports.wireguard.push_back(device.udp_port);
  }
  return ports;
}

Encapsulation tunnel_at(const NodeState& state, std::uint16_t port) {
  const auto has = [&](DeviceKind kind) {
    return std::ranges::any_of(state.devices, [&](const Device& device) {
      return device.kind == kind && device.udp_port == port;
    });
  };
  const bool is_usual = std::ranges::find(kDefaultVxlanPorts, port) != kDefaultVxlanPorts.end();
  if (is_usual || has(DeviceKind::Vxlan)) return Encapsulation::Vxlan;
  if (std::ranges::find(kDefaultGenevePorts, port) != kDefaultGenevePorts.end() ||
      has(DeviceKind::Geneve))
    return Encapsulation::Geneve;
  const bool is_wireguard =
      has(DeviceKind::Wireguard) ||
      std::ranges::find(kDefaultWireguardPorts, port) != kDefaultWireguardPorts.end();
  return is_wireguard ? Encapsulation::Wireguard : Encapsulation::None;
}

Encapsulation tunnel_at(const NodeState& state, std::uint16_t port, IpAddress source,
                        IpAddress destination) {
  const Encapsulation encapsulation = tunnel_at(state, port);
  const bool is_foreign = encapsulation == Encapsulation::Wireguard && !is_local(state, source) &&
                          !is_local(state, destination);
  return is_foreign ? Encapsulation::None : encapsulation;
}

}  // namespace overlane::node
