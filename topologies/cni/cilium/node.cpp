#include <optional>
#include <utility>

#include "dataplane/node/state/node_state.h"
#include "topologies/cni/cilium/cilium.h"
#include "topologies/cni/extension/profile.h"

// The configuration that cilium-agent makes on a node, as a state of dataplane/node. Cilium
// forwards with eBPF programs, which the model represents by kernel state with the same effect: the
// map cilium_ipcache is a route with `encap`, and a redirect to cilium_wg0 is a route to that
// device. The programs accept tunnel packets from any host and track no connections in the kernel.
// topologies/compile calls the functions of kNodes and adds the parts that every node has.
namespace overlane::cilium {

namespace {

using cni::kUplink;
using effective::Dataplane;
using node::PeerRoute;
using node::RouteProtocol;

constexpr std::string_view kHostDevice = "cilium_host";
constexpr std::string_view kVxlanDevice = "cilium_vxlan";
constexpr std::string_view kGeneveDevice = "cilium_geneve";
constexpr std::string_view kWireguardDevice = "cilium_wg0";

/// Protocol of the agent's routes (cilium pkg/datapath/linux/linux_defaults: RTProto).
constexpr RouteProtocol kProtocol = RouteProtocol::Kernel;

bool tunnels(const Dataplane& dataplane) {
  return dataplane.encapsulation != effective::Encapsulation::None;
}

std::uint32_t pod_device_mtu(const Dataplane& dataplane) {
  return dataplane.pod_device_mtu != 0 ? dataplane.pod_device_mtu : dataplane.pod_mtu;
}

/// The tunnel device, one for the pods of both families, over IPv4. It keeps the base MTU (cilium
/// pkg/mtu).
node::Device tunnel_device(const Dataplane& dataplane, const node::MemberAddresses& self) {
  const bool geneve = dataplane.encapsulation == effective::Encapsulation::Geneve;
  return {.name = geneve ? kGeneveDevice : kVxlanDevice,
          .kind = geneve ? node::DeviceKind::Geneve : node::DeviceKind::Vxlan,
          .mtu = dataplane.tunnel_mtu,
          .external = true,
          .mac = self.vtep_mac,
          .vni = node::kCiliumVni,
          .udp_port = geneve ? node::kGenevePort : node::kCiliumVxlanPort};
}

/// The WireGuard device, one for the pods of both families, over IPv4 if the node has it.
node::Device wireguard_device(const Dataplane& dataplane, const node::Member& self) {
  return {.name = kWireguardDevice,
          .kind = node::DeviceKind::Wireguard,
          .mtu = dataplane.wireguard_mtu,
          .addresses = {},
          .underlay = self.ipv4 ? Family::Ipv4 : Family::Ipv6,
          .udp_port = node::kCiliumWireguardPort,
          .allows_nodes = true};
}

std::optional<cni::Unsupported> unsupported_encryption(const effective::EffectiveDataplane& shoot) {
  if (!shoot.dataplane.is_encrypted() || shoot.dataplane.mode != effective::Mode::Overlay)
    return std::nullopt;
  return cni::Unsupported{
      .why =
          "cilium sends its tunnel's packets through WireGuard, and a tunnel in a tunnel is "
          "not simulated",
      .path = "spec.networking.providerConfig.encryption",
      .hint = "with overlay.enabled: false, or without encryption, it can be run"};
}

std::string_view unsupported_ipv6(const effective::EffectiveDataplane& shoot) {
  const bool is_overlay = shoot.dataplane.mode == effective::Mode::Overlay;
  return is_overlay && shoot.dataplane_of(Family::Ipv4) == nullptr
             ? "cilium's tunnel is known over IPv4 only, and the nodes have none"
             : "";
}

/// Routes to peers. In tunnel mode no kernel route leads to a peer's pods; the eBPF map
/// cilium_ipcache holds each peer's address, which `encap ip dst` represents. In native mode with
/// direct routes there is one route `via` each peer of the same subnet; otherwise there is none,
/// and the default route and the fabric decide. With WireGuard, cilium-agent's program redirects
/// packets for a peer's pods to cilium_wg0, which a route represents.
node::PeerRoutes peer_routes(const effective::EffectiveDataplane& shoot, Family family) {
  const Dataplane& dataplane = *shoot.dataplane_of(family);
  if (tunnels(dataplane)) {
    const PeerRoute route{.via = PeerRoute::Via::TunnelMap,
                          .device = dataplane.encapsulation == effective::Encapsulation::Geneve
                                        ? kGeneveDevice
                                        : kVxlanDevice,
                          .protocol = kProtocol,
                          .mtu = dataplane.pod_mtu,
                          .underlay = Family::Ipv4};
    return {.same_subnet = route, .other_subnet = route, .encrypted = {}};
  }
  node::PeerRoutes routes;
  // The agent refuses a direct route to a node that it reaches over a gateway (cilium
  // pkg/datapath/linux/node.go, createDirectRouteSpec).
  const bool has_neighbours = !provider::profile_of(shoot.provider).machines.host_addresses;
  if (dataplane.routes_by == effective::RoutesBy::DirectNodeRoutes && has_neighbours)
    routes.same_subnet = {PeerRoute::Via::NodeAddress, kUplink, false, kProtocol, 0};
  if (dataplane.is_encrypted()) {
    routes.encrypted = {.via = PeerRoute::Via::Device,
                        .device = kWireguardDevice,
                        .protocol = kProtocol,
                        .mtu = dataplane.pod_mtu};
  }
  return routes;
}

/// Adds cilium_host, the tunnel device in metadata mode, cilium_wg0, and the route of the node's
/// own pod CIDR.
void add_devices(const effective::EffectiveDataplane& shoot, node::NodeState& state) {
  const Dataplane& dataplane = shoot.dataplane;
  state.pod_device_prefix = "lxc";
  // The container cilium-sysctl-overwrites (cilium/cilium tools/sysctlfix) turns rp_filter off.
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
    state.devices.push_back(tunnel_device(dataplane, *state.member().in(Family::Ipv4)));
  }
}

/// Adds no rule, only the name of the chain in which the agent masquerades if no eBPF program does
/// (cilium pkg/datapath/iptables).
void add_filters(const effective::EffectiveDataplane&, node::PacketFilter& filter) {
  filter.masquerade_chain = "CILIUM_POST_nat";
}

constexpr effective::Encapsulation kTunnels[] = {effective::Encapsulation::Vxlan,
                                                 effective::Encapsulation::Geneve};

}  // namespace

constinit const cni::NodeCompiler kNodes{.tunnels = kTunnels,
                                         .has_ipv6_tunnel = true,
                                         .unsupported_encryption = unsupported_encryption,
                                         .unsupported_ipv6 = unsupported_ipv6,
                                         .peer_routes = peer_routes,
                                         .add_devices = add_devices,
                                         .add_filters = add_filters};

}  // namespace overlane::cilium
