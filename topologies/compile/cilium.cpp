#include "topologies/compile/cilium.h"

#include <algorithm>

#include "topologies/compile/uplink.h"

namespace overlane::compile {
namespace {

using effective::Dataplane;
using node::PeerRoute;
using node::RouteProtocol;

constexpr std::string_view kHostDevice = "cilium_host";
constexpr std::string_view kCiliumVxlanDevice = "cilium_vxlan";
constexpr std::string_view kGeneveDevice = "cilium_geneve";
constexpr std::string_view kCiliumWireguardDevice = "cilium_wg0";

/// cilium pkg/datapath/linux/linux_defaults: RTProto.
constexpr RouteProtocol kProtocol = RouteProtocol::Kernel;

bool tunnels(const Dataplane& dataplane) {
  return dataplane.encapsulation != effective::Encapsulation::None;
}

std::uint32_t pod_device_mtu(const Dataplane& dataplane) {
  return dataplane.pod_device_mtu != 0 ? dataplane.pod_device_mtu : dataplane.pod_mtu;
}

/// One for both families of pods, over IPv4. Its MTU stays the base MTU (cilium pkg/mtu).
node::Device cilium_tunnel_device(const Dataplane& dataplane, const node::MemberAddresses& self) {
  const bool geneve = dataplane.encapsulation == effective::Encapsulation::Geneve;
  return {.name = geneve ? kGeneveDevice : kCiliumVxlanDevice,
          .kind = geneve ? node::DeviceKind::Geneve : node::DeviceKind::Vxlan,
          .mtu = dataplane.tunnel_mtu,
          .external = true,
          .mac = self.vtep_mac,
          .vni = node::kCiliumVni,
          .udp_port = geneve ? node::kGenevePort : node::kCiliumVxlanPort};
}

/// One for both families of pods, over IPv4 where there is any.
node::Device wireguard_device(const Dataplane& dataplane, const node::Member& self) {
  return {.name = kCiliumWireguardDevice,
          .kind = node::DeviceKind::Wireguard,
          .mtu = dataplane.wireguard_mtu,
          .addresses = {},
          .underlay = self.ipv4 ? Family::Ipv4 : Family::Ipv6,
          .udp_port = node::kCiliumWireguardPort,
          .allows_nodes = true};
}

}  // namespace

node::PeerRoutes cilium_peer_routes(const Dataplane& dataplane) {
  if (tunnels(dataplane)) {
    const PeerRoute route{.via = PeerRoute::Via::TunnelMap,
                          .device = dataplane.encapsulation == effective::Encapsulation::Geneve
                                        ? kGeneveDevice
                                        : kCiliumVxlanDevice,
                          .protocol = kProtocol,
                          .mtu = dataplane.pod_mtu,
                          .underlay = Family::Ipv4};
    return {.same_subnet = route, .other_subnet = route, .encrypted = {}};
  }
  node::PeerRoutes routes;
  if (dataplane.routes_by == effective::RoutesBy::DirectNodeRoutes)
    routes.same_subnet = {PeerRoute::Via::NodeAddress, kUplink, false, kProtocol, 0};
  if (dataplane.is_encrypted()) {
    routes.encrypted = {.via = PeerRoute::Via::Device,
                        .device = kCiliumWireguardDevice,
                        .protocol = kProtocol,
                        .mtu = dataplane.pod_mtu};
  }
  return routes;
}

void add_cilium(const Dataplane& dataplane, node::NodeState& state) {
  // Cilium's init container cilium-sysctl-overwrites (cilium tools/sysctlfix) turns rp_filter off.
  for (node::Device& device : state.devices)
    device.rp_filter = 0;
  node::Device host{
      .name = kHostDevice, .kind = node::DeviceKind::Loopback, .mtu = pod_device_mtu(dataplane)};
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* self = state.member().in(family);
    if (self == nullptr) continue;
    host.addresses.push_back(self->tunnel);
    state.routes.set(IpPrefix::host(self->tunnel), {.device = kHostDevice, .protocol = kProtocol});
    state.routes.set(self->pod_cidr,
                     {.device = kHostDevice, .via = self->tunnel, .protocol = kProtocol});
  }
  state.devices.push_back(std::move(host));
  if (dataplane.is_encrypted())
    state.devices.push_back(wireguard_device(dataplane, state.member()));
  if (tunnels(dataplane)) {
    state.devices.push_back(cilium_tunnel_device(dataplane, *state.member().in(Family::Ipv4)));
  }
}

}  // namespace overlane::compile
