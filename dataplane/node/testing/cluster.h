#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node::testing {

inline IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix net(const char* text) {
  return IpPrefix::parse(text).value();
}

/// Parameters of a test cluster. Nodes alternate between the subnets; all have both families.
struct ClusterShape {
  Encapsulation encapsulation = Encapsulation::None;
  bool cross_subnet = false;  ///< Tunnels between subnets only, plain next hops inside a subnet.
  std::uint32_t nodes = 2;
  std::uint32_t subnets = 1;
  std::uint32_t link_mtu = 1500;
  std::uint32_t pods_per_node = 2;
  Family underlay =
      /// Family of the outer headers. Calico's VXLAN and WireGuard use the pods' family instead.
      Family::Ipv4;
  /// VXLAN, Geneve: an eBPF map (Cilium) has the far ends, in place of neighbour and FDB entries.
  bool tunnel_map = false;
};

/// A small cluster in the state that Calico, Cilium and the cloud's route controller produce.
struct Cluster {
  std::vector<NodeState> nodes;
  FabricState fabric;
};

/// Node i is instance i: 10.250.<i mod subnets>.<4+i>, pod CIDR 100.96.<i+1>.0/24 with the tunnel
/// address .1 and pods .10, .11 …; fd00:10:250:<i mod subnets>::<4+i> and fd00:10:96:<i+1>::/64.
inline IpAddress node_address(const ClusterShape& shape, std::uint32_t i) {
  return ip("10.250.0.4") + ((i % shape.subnets) << 8) + i;
}
inline IpAddress subnet_v6(std::uint32_t s) {
  IpAddress network = ip("fd00:10:250::");
  network.high += s;
  return network;
}
inline IpAddress node_address_v6(const ClusterShape& shape, std::uint32_t i) {
  return subnet_v6(i % shape.subnets) + 4 + i;
}
inline IpPrefix pod_cidr(std::uint32_t i) {
  return IpPrefix::containing(ip("100.96.1.0") + (i << 8), 24);
}
inline IpPrefix pod_cidr_v6(std::uint32_t i) {
  IpAddress network = ip("fd00:10:96::");
  network.high += i + 1;
  return IpPrefix::containing(network, 64);
}
inline IpAddress pod(std::uint32_t node, std::uint32_t number = 0) {
  return pod_cidr(node).network() + 10 + number;
}
inline IpAddress pod_v6(std::uint32_t node, std::uint32_t number = 0) {
  return pod_cidr_v6(node).network() + 0x10 + number;
}
inline MacAddress vtep_mac(std::uint32_t i, Family family) {
  const std::uint8_t second = family == Family::Ipv4 ? 0 : 6;
  return {{0x66, second, 0, 0, 0, static_cast<std::uint8_t>(i)}};
}

inline Family underlay(const ClusterShape& shape, Family pods) {
  const bool calico_vxlan = shape.encapsulation == Encapsulation::Vxlan && !shape.tunnel_map;
  const bool is_wireguard = shape.encapsulation == Encapsulation::Wireguard;
  return calico_vxlan || is_wireguard ? pods : shape.underlay;
}
inline std::uint32_t tunnel_overhead(const ClusterShape& shape, Family pods) {
  return overhead(shape.encapsulation, underlay(shape, pods));
}

/// Returns the name of the tunnel device for a family's pods. Calico has one VXLAN device for each
/// family.
inline DeviceName tunnel_name(const ClusterShape& shape, Family pods) {
  switch (shape.encapsulation) {
    case Encapsulation::None:
      return "";
    case Encapsulation::Ipip:
      return "tunl0";
    case Encapsulation::Sit:
      return "sit0";
    case Encapsulation::Ip6Tnl:
      return "ip6tnl1";
    case Encapsulation::Vxlan:
      if (shape.tunnel_map) return "cilium_vxlan";
      return pods == Family::Ipv4 ? "vxlan.calico" : "vxlan-v6.calico";
    case Encapsulation::Geneve:
      return shape.tunnel_map ? "cilium_geneve" : "geneve1";
    case Encapsulation::Wireguard:
      return pods == Family::Ipv4 ? "wireguard.cali" : "wg-v6.cali";
  }
  return "";
}

inline PeerRoute tunnel_route(const ClusterShape& shape, Family pods) {
  using Via = PeerRoute::Via;
  if (shape.encapsulation == Encapsulation::None || !carries(shape.encapsulation, pods)) return {};
  PeerRoute route{.device = tunnel_name(shape, pods), .underlay = underlay(shape, pods)};
  if (shape.tunnel_map) {
    route.via = Via::TunnelMap;
    route.protocol = RouteProtocol::Kernel;
    route.mtu = shape.link_mtu - tunnel_overhead(shape, pods);
  } else if (shape.encapsulation == Encapsulation::Ipip) {
    route.via = Via::NodeAddress;
    route.onlink = true;
  } else if (shape.encapsulation == Encapsulation::Sit) {
    route.via = Via::Ipv4Compatible;
    route.onlink = true;
  } else if (shape.encapsulation == Encapsulation::Vxlan) {
    route.via = Via::TunnelAddress;
    route.onlink = true;
    route.protocol = RouteProtocol::Felix;
    route.mtu = shape.link_mtu - tunnel_overhead(shape, pods);
  } else if (shape.encapsulation == Encapsulation::Wireguard) {
    route.via = Via::Device;
    route.protocol = RouteProtocol::Boot;
    route.table = 1;
  } else {
    route.via = Via::Device;
  }
  return route;
}

inline std::shared_ptr<const ClusterTable> cluster_table(const ClusterShape& shape) {
  auto table = std::make_shared<ClusterTable>();
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    table->add({.name = "node-" + std::to_string(i + 1),
                .subnet = i % shape.subnets,
                .ipv4 = MemberAddresses{.node = node_address(shape, i),
                                        .pod_cidr = pod_cidr(i),
                                        .tunnel = pod_cidr(i).network() + 1,
                                        .vtep_mac = vtep_mac(i, Family::Ipv4)},
                .ipv6 = MemberAddresses{.node = node_address_v6(shape, i),
                                        .pod_cidr = pod_cidr_v6(i),
                                        .tunnel = pod_cidr_v6(i).network() + 1,
                                        .vtep_mac = vtep_mac(i, Family::Ipv6)}});
  }
  for (const Family pods : {Family::Ipv4, Family::Ipv6}) {
    PeerRoutes& routes = pods == Family::Ipv4 ? table->ipv4 : table->ipv6;
    if (shape.encapsulation == Encapsulation::Wireguard) {
      routes.encrypted = tunnel_route(shape, pods);
    } else {
      routes.other_subnet = tunnel_route(shape, pods);
    }
    routes.same_subnet = routes.other_subnet;
    if (shape.cross_subnet) {
      routes.same_subnet = {PeerRoute::Via::NodeAddress, "eth0", false, RouteProtocol::Bird, 0};
    }
  }
  return table;
}

/// Returns the tunnel device for a family's pods. The far end of a point-to-point device is the
/// next node.
inline Device tunnel_device(const ClusterShape& shape, const NodeState& state, Family pods) {
  const MemberAddresses& self = *state.member().in(pods);
  const std::uint32_t peer = (state.self.value + 1) % shape.nodes;
  Device device{.name = tunnel_name(shape, pods),
                .mtu = shape.link_mtu - tunnel_overhead(shape, pods),
                .underlay = underlay(shape, pods)};
  if (!shape.tunnel_map) device.addresses = {self.tunnel};
  device.external = shape.tunnel_map;
  switch (shape.encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
      device.kind = DeviceKind::Ipip;
      break;
    case Encapsulation::Sit:
      device.kind = DeviceKind::Sit;
      break;
    case Encapsulation::Ip6Tnl:
      device.kind = DeviceKind::Ip6Tnl;
      device.remote = node_address_v6(shape, peer);
      break;
    case Encapsulation::Vxlan:
      device.kind = DeviceKind::Vxlan;
      device.mac = self.vtep_mac;
      device.vni = shape.tunnel_map ? kCiliumVni : kCalicoVni;
      device.udp_port = shape.tunnel_map ? kCiliumVxlanPort : kCalicoVxlanPort;
      break;
    case Encapsulation::Geneve:
      device.kind = DeviceKind::Geneve;
      device.mac = self.vtep_mac;
      device.vni = kCiliumVni;
      device.udp_port = kGenevePort;
      if (shape.tunnel_map) break;
      device.remote =
          shape.underlay == Family::Ipv4 ? node_address(shape, peer) : node_address_v6(shape, peer);
      break;
    case Encapsulation::Wireguard:
      device.kind = DeviceKind::Wireguard;
      device.udp_port = pods == Family::Ipv4 ? kCalicoWireguardPort : kCalicoWireguardPortV6;
      break;
  }
  return device;
}

inline void add_tunnels(const ClusterShape& shape, NodeState& state) {
  if (shape.encapsulation == Encapsulation::None) return;
  const auto protocol =
      shape.encapsulation == Encapsulation::Ipip ? RouteProtocol::Bird : RouteProtocol::Felix;
  for (const Family pods : {Family::Ipv4, Family::Ipv6}) {
    if (!carries(shape.encapsulation, pods)) continue;
    const Device device = tunnel_device(shape, state, pods);
    if (state.find_device(device.name) == nullptr) {
      state.devices.push_back(device);
    } else if (!device.addresses.empty()) {
      Device& shared = *std::ranges::find(state.devices, device.name, &Device::name);
      shared.addresses.push_back(device.addresses.front());
    }
    state.routes.set(state.member().in(pods)->pod_cidr,
                     {.kind = RouteKind::Blackhole, .protocol = protocol});
  }
  std::ranges::sort(state.devices, {}, &Device::name);
}

/// Returns a filter that accepts tunnel packets from members only.
inline std::shared_ptr<const PacketFilter> packet_filter(const ClusterShape& shape) {
  PacketFilter filter;
  switch (shape.encapsulation) {
    case Encapsulation::None:
    case Encapsulation::Wireguard:  // WireGuard's keys identify the sender.
      break;
    case Encapsulation::Ipip:
      filter.tunnel_guards = {{.protocol = 4}};
      break;
    case Encapsulation::Sit:
      filter.tunnel_guards = {{.protocol = 41}};
      break;
    case Encapsulation::Ip6Tnl:
      filter.tunnel_guards = {{.protocol = 4}, {.protocol = 41}};
      break;
    case Encapsulation::Vxlan:
      filter.tunnel_guards = {
          {.protocol = 17, .udp_port = shape.tunnel_map ? kCiliumVxlanPort : kCalicoVxlanPort}};
      break;
    case Encapsulation::Geneve:
      filter.tunnel_guards = {{.protocol = 17, .udp_port = kGenevePort}};
      break;
  }
  return std::make_shared<const PacketFilter>(std::move(filter));
}

inline NodeState node_state(const ClusterShape& shape,
                            const std::shared_ptr<const ClusterTable>& table,
                            const std::shared_ptr<const PacketFilter>& filter, std::uint32_t i) {
  NodeState state{.cluster = table, .self = {i}, .filter = filter};
  const Member& self = state.member();
  state.devices.push_back(
      {.name = "eth0", .mtu = shape.link_mtu, .addresses = {self.ipv4->node, self.ipv6->node}});
  add_tunnels(shape, state);
  for (const IpPrefix& subnet :
       {IpPrefix::containing(self.ipv4->node, 24), IpPrefix::containing(self.ipv6->node, 64)}) {
    state.routes.set(subnet, {.device = "eth0"});
    state.routes.set(
        IpPrefix::containing(subnet.network(), 0),
        {.device = "eth0", .via = subnet.network() + 1, .protocol = RouteProtocol::Static});
  }
  for (std::uint32_t number = 0; number < shape.pods_per_node; ++number) {
    state.pods.push_back({pod(i, number), shape.link_mtu - tunnel_overhead(shape, Family::Ipv4)});
    state.pods.push_back(
        {pod_v6(i, number), shape.link_mtu - tunnel_overhead(shape, Family::Ipv6)});
  }
  std::ranges::sort(state.pods, {}, &LocalPod::address);
  return state;
}

inline FabricState fabric_state(const ClusterShape& shape) {
  FabricState fabric{.name = "vpc", .mtu = shape.link_mtu};
  for (std::uint32_t s = 0; s < shape.subnets; ++s) {
    fabric.subnets.push_back({.name = "subnet-" + std::to_string(s + 1),
                              .zone = "a",
                              .cidrs = {IpPrefix::containing(ip("10.250.0.0") + (s << 8), 24),
                                        IpPrefix::containing(subnet_v6(s), 64)}});
  }
  RouteTable table{.name = "table-1"};
  table.routes.set(net("10.250.0.0/16"), {.target = FabricTarget::Local});
  table.routes.set(net("fd00:10:250::/60"), {.target = FabricTarget::Local});
  table.routes.set({}, {.target = FabricTarget::Internet});
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    fabric.instances.push_back({.name = "node-" + std::to_string(i + 1),
                                .addresses = {node_address(shape, i), node_address_v6(shape, i)},
                                .subnet = i % shape.subnets});
    if (shape.encapsulation == Encapsulation::None) {
      table.routes.set(pod_cidr(i), {FabricTarget::Instance, i, FabricRouteOwner::RouteController});
      table.routes.set(pod_cidr_v6(i),
                       {FabricTarget::Instance, i, FabricRouteOwner::RouteController});
    }
  }
  fabric.route_tables.push_back(std::move(table));
  return fabric;
}

inline Cluster make_cluster(const ClusterShape& shape) {
  Cluster cluster{.fabric = fabric_state(shape)};
  const auto table = cluster_table(shape);
  const auto filter = packet_filter(shape);
  for (std::uint32_t i = 0; i < shape.nodes; ++i)
    cluster.nodes.push_back(node_state(shape, table, filter, i));
  return cluster;
}

}  // namespace overlane::node::testing
