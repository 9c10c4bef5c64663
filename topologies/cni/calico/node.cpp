#include <algorithm>
#include <optional>

#include "dataplane/net/address.h"
#include "dataplane/node/state/device.h"
#include "dataplane/node/state/node_state.h"
#include "topologies/cni/calico/calico.h"

// The configuration that calico-node makes on a node, as a state of dataplane/node: Felix creates
// tunl0, vxlan.calico and WireGuard's devices and writes the rules of the packet filter; BIRD or
// Felix writes the routes to the pods of other nodes (Felix for VXLAN pools, and for IPIP pools
// since Calico 3.33). topologies/compile calls the functions of kNodes and adds the parts that
// every node has. They require a dataplane that is not opaque, and change only the given state.
namespace overlane::calico {

namespace {

constexpr std::string_view kIpipDevice = "tunl0";
constexpr std::string_view kVxlanDevice = "vxlan.calico";

/// Felix's defaults WireguardInterfaceName and WireguardInterfaceNameV6.
constexpr std::string_view wireguard_device_name(Family family) {
  return family == Family::Ipv4 ? "wireguard.cali" : "wg-v6.cali";
}

using cni::kLooseRpFilter;
using cni::kUplink;
using effective::Dataplane;
using node::PacketFilter;
using node::PeerRoute;
using node::RouteProtocol;

/// Whether calico-node writes routes to the peers; backend none leaves that to the cloud.
bool writes_routes(const Dataplane& dataplane) {
  return dataplane.backend == effective::Backend::Bird ||
         dataplane.backend == effective::Backend::Vxlan;
}

/// Felix programs the routes of VXLAN pools, and of IPIP pools since 3.33; BIRD programs the
/// others.
RouteProtocol programmer(const Dataplane& dataplane) {
  return dataplane.routes_by == effective::RoutesBy::Felix ? RouteProtocol::Felix
                                                           : RouteProtocol::Bird;
}

/// Route to a peer through the tunnel. BIRD's routes carry no MTU (calico's patch of bird,
/// sysdep/linux/netlink.c); Felix's carry the device's (felix/dataplane/linux/route_mgr.go,
/// tunnelRoute).
PeerRoute tunnel_route(const Dataplane& dataplane) {
  const RouteProtocol protocol = programmer(dataplane);
  PeerRoute route{.onlink = true,
                  .protocol = protocol,
                  .mtu = protocol == RouteProtocol::Felix ? dataplane.tunnel_mtu : 0};
  switch (dataplane.encapsulation) {
    case effective::Encapsulation::Ipip:
      route.via = PeerRoute::Via::NodeAddress;
      route.device = kIpipDevice;
      return route;
    case effective::Encapsulation::Vxlan:
      route.via = PeerRoute::Via::TunnelAddress;
      route.device = kVxlanDevice;
      return route;
    case effective::Encapsulation::None:
    case effective::Encapsulation::Geneve:
      return {};
  }
  return {};
}

/// Route between neighbours, without a tunnel. Felix sets onlink here too (felix/routetable,
/// Target.Flags); BIRD finds out that the next hop is a neighbour.
PeerRoute plain_route(const Dataplane& dataplane) {
  const RouteProtocol protocol = programmer(dataplane);
  return {PeerRoute::Via::NodeAddress, kUplink, protocol == RouteProtocol::Felix, protocol, 0};
}

/// Route to a node that is not a neighbour, without a tunnel. Felix's route is onlink here as well.
/// BIRD resolves such a next hop ("gateway recursive" in calico's bird.cfg.template) to the default
/// route, which packets take anyway. If the machine's address is a /32, BIRD does not learn the
/// default route, whose gateway is on no subnet of its own, and writes an unreachable route (BIRD
/// 1.6.8, tools/check-bird-routes; networking-calico pull requests 229 and 546).
PeerRoute plain_route_beyond(const Dataplane& dataplane, bool host_addresses) {
  if (programmer(dataplane) == RouteProtocol::Felix) return plain_route(dataplane);
  if (!host_addresses) return {};
  return {.via = PeerRoute::Via::Unreachable, .protocol = RouteProtocol::Bird};
}

/// Felix's routes to peers with WireGuard (felix/wireguard: addRouteRule, updateRouteTable…), in
/// the first table of RouteTableRanges, which a rule consults before the main table.
PeerRoute wireguard_route(const Dataplane& dataplane, Family family) {
  if (!dataplane.is_encrypted()) return {};
  return {.via = PeerRoute::Via::Device,
          .device = wireguard_device_name(family),
          .protocol = RouteProtocol::Boot,
          .table = 1};
}

/// The WireGuard device. With host-local IPAM it has the first address of the pod CIDR, like the
/// other tunnel devices.
node::Device wireguard_device(const Dataplane& dataplane, const node::MemberAddresses& self) {
  const Family family = self.node.family();
  return {.name = wireguard_device_name(family),
          .kind = node::DeviceKind::Wireguard,
          .mtu = dataplane.wireguard_mtu,
          .addresses = {self.tunnel},
          .underlay = family,
          .udp_port =
              family == Family::Ipv4 ? node::kCalicoWireguardPort : node::kCalicoWireguardPortV6,
          .rp_filter = kLooseRpFilter};
}

/// The tunnel device: tunl0 or vxlan.calico, for IPv4 pods only, because Gardener's IPv6 pools
/// never encapsulate.
std::optional<node::Device> tunnel_device(const Dataplane& dataplane,
                                          const node::MemberAddresses& self) {
  node::Device device{
      .mtu = dataplane.tunnel_mtu, .addresses = {self.tunnel}, .rp_filter = kLooseRpFilter};
  switch (dataplane.encapsulation) {
    case effective::Encapsulation::Ipip:
      device.name = kIpipDevice;
      device.kind = node::DeviceKind::Ipip;
      return device;
    case effective::Encapsulation::Vxlan:
      device.name = kVxlanDevice;
      device.kind = node::DeviceKind::Vxlan;
      device.mac = self.vtep_mac;
      device.vni = node::kCalicoVni;
      device.udp_port = node::kCalicoVxlanPort;
      return device;
    case effective::Encapsulation::None:
    case effective::Encapsulation::Geneve:
      return std::nullopt;
  }
  return std::nullopt;
}

constexpr std::uint8_t kIpipProtocol = 4;

/// Felix accepts tunnel packets from hosts of the cluster only, does not track VXLAN
/// (felix/rules/static.go), and masquerades packets that leave a tunnel device with another address
/// of the node (next to natOutgoing's rule). externalNodesCIDRs is empty: Gardener does not set it.
void guard_tunnels(effective::Encapsulation encapsulation, PacketFilter& filter) {
  switch (encapsulation) {
    case effective::Encapsulation::None:
    case effective::Encapsulation::Geneve:
      return;
    case effective::Encapsulation::Ipip:
      filter.tunnel_guards = {{.protocol = kIpipProtocol}};
      filter.tunnel_devices = {kIpipDevice};
      return;
    case effective::Encapsulation::Vxlan:
      filter.tunnel_guards = {{.protocol = node::kTrackedUdp, .udp_port = node::kCalicoVxlanPort}};
      filter.untracked_udp_ports = {node::kCalicoVxlanPort};
      filter.tunnel_devices = {kVxlanDevice};
      return;
  }
}

/// Adds WireGuard's devices to the masqueraded devices: packets that leave them with another
/// address of the node are masqueraded, because WireGuard's allowed IPs do not contain that
/// address.
void add_wireguard_devices(const effective::EffectiveDataplane& shoot, PacketFilter& filter) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const effective::Dataplane* dataplane = shoot.dataplane_of(family);
    if (dataplane == nullptr || !dataplane->is_encrypted()) continue;
    filter.tunnel_devices.push_back(wireguard_device_name(family));
  }
  std::ranges::sort(filter.tunnel_devices);
}

/// Routes to peers. CrossSubnet compares the node's address and its prefix length with the peer's
/// address, so that a node with a /32 has no peer in its subnet (calico issue 2380, January 2019).
node::PeerRoutes peer_routes(const effective::EffectiveDataplane& shoot, Family family) {
  const Dataplane& dataplane = *shoot.dataplane_of(family);
  const bool host_addresses = provider::profile_of(shoot.provider).machines.host_addresses;
  node::PeerRoutes routes{
      .same_subnet = {}, .other_subnet = {}, .encrypted = wireguard_route(dataplane, family)};
  if (!writes_routes(dataplane)) return routes;
  const bool tunnels = dataplane.encapsulation != effective::Encapsulation::None;
  routes.other_subnet =
      tunnels ? tunnel_route(dataplane) : plain_route_beyond(dataplane, host_addresses);
  const bool is_plain = (dataplane.cross_subnet || !tunnels) && !host_addresses;
  routes.same_subnet = is_plain ? plain_route(dataplane) : routes.other_subnet;
  return routes;
}

/// Adds tunnel and WireGuard devices, and the blackhole route of the node's own pod CIDR.
void add_devices(const effective::EffectiveDataplane& shoot, node::NodeState& state) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* self = state.member().in(family);
    if (self == nullptr) continue;
    const Dataplane& dataplane = *shoot.dataplane_of(family);
    if (const auto device = tunnel_device(dataplane, *self)) state.devices.push_back(*device);
    if (dataplane.is_encrypted()) state.devices.push_back(wireguard_device(dataplane, *self));
    // The blackhole route of the node's own block keeps packets for deleted pods on the node.
    if (writes_routes(dataplane)) {
      state.routes.set(self->pod_cidr,
                       {.kind = node::RouteKind::Blackhole, .protocol = programmer(dataplane)});
    }
  }
}

/// Adds Felix's rules: the hosts that may send tunnel packets, the packets that are not tracked,
/// and the packets of tunnel devices that are masqueraded.
void add_filters(const effective::EffectiveDataplane& shoot, PacketFilter& filter) {
  guard_tunnels(shoot.dataplane.encapsulation, filter);
  add_wireguard_devices(shoot, filter);
}

constexpr effective::Encapsulation kTunnels[] = {effective::Encapsulation::Ipip,
                                                 effective::Encapsulation::Vxlan};

}  // namespace

constinit const cni::NodeCompiler kNodes{.tunnels = kTunnels,
                                         .peer_routes = peer_routes,
                                         .add_devices = add_devices,
                                         .add_filters = add_filters};

}  // namespace overlane::calico
