#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/node/fabric_state.h"
#include "dataplane/node/node_state.h"

namespace overlane::node::testing {

inline IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix net(const char* text) {
  return IpPrefix::parse(text).value();
}

/// What a test cluster is like. Nodes alternate between the subnets.
struct ClusterShape {
  Encapsulation encapsulation = Encapsulation::None;
  bool cross_subnet = false;  ///< Tunnels only between subnets; plain next hops inside one.
  std::uint32_t nodes = 2;
  std::uint32_t subnets = 1;
  std::uint32_t link_mtu = 1500;
  std::uint32_t pods_per_node = 2;
};

/// A small cluster as Calico and the cloud's route controller leave it.
struct Cluster {
  std::vector<NodeState> nodes;
  FabricState fabric;
};

/// Node i is instance i: 10.250.<i mod subnets>.<4+i>, slice 100.96.<i+1>.0/24 with the tunnel
/// address .1 and pods .10, .11 …
inline IpAddress node_address(const ClusterShape& shape, std::uint32_t i) {
  return ip("10.250.0.4") + ((i % shape.subnets) << 8) + i;
}
inline IpPrefix slice(std::uint32_t i) {
  return IpPrefix::containing(ip("100.96.1.0") + (i << 8), 24);
}
inline IpAddress pod(std::uint32_t node, std::uint32_t number = 0) {
  return slice(node).network() + 10 + number;
}

inline PeerRoute tunnel_route(const ClusterShape& shape) {
  switch (shape.encapsulation) {
    case Encapsulation::None:
      return {};
    case Encapsulation::Ipip:
      return {PeerRoute::Via::NodeAddress, "tunl0", true, RouteProtocol::Bird, 0};
    case Encapsulation::Vxlan:
      return {PeerRoute::Via::TunnelAddress, "vxlan.calico", true, RouteProtocol::Felix,
              shape.link_mtu - 50};
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
    case Encapsulation::Geneve:
      return {};
  }
  return {};
}

inline std::shared_ptr<const ClusterTable> cluster_table(const ClusterShape& shape) {
  auto table = std::make_shared<ClusterTable>();
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    table->members.push_back({.name = "node-" + std::to_string(i + 1),
                              .address = node_address(shape, i),
                              .subnet = i % shape.subnets,
                              .pod_slice = slice(i),
                              .tunnel_address = slice(i).network() + 1,
                              .vtep_mac = {{0x66, 0, 0, 0, 0, static_cast<std::uint8_t>(i)}}});
    table->slices.set(slice(i), {i});
  }
  table->other_subnet = tunnel_route(shape);
  table->same_subnet = table->other_subnet;
  if (shape.cross_subnet) {
    table->same_subnet = {PeerRoute::Via::NodeAddress, "eth0", false, RouteProtocol::Bird, 0};
  }
  return table;
}

inline NodeState node_state(const ClusterShape& shape,
                            const std::shared_ptr<const ClusterTable>& table, std::uint32_t i) {
  NodeState state{.cluster = table, .self = {i}};
  const Member& self = state.member();
  state.devices.push_back({.name = "eth0", .mtu = shape.link_mtu, .address = self.address});
  const auto device_mtu = shape.link_mtu - overhead(shape.encapsulation);
  if (shape.encapsulation == Encapsulation::Ipip) {
    state.devices.push_back({.name = "tunl0",
                             .kind = DeviceKind::Ipip,
                             .mtu = device_mtu,
                             .address = self.tunnel_address});
    state.routes.set(slice(i), {.kind = RouteKind::Blackhole, .protocol = RouteProtocol::Bird});
  }
  if (shape.encapsulation == Encapsulation::Vxlan) {
    state.devices.push_back({.name = "vxlan.calico",
                             .kind = DeviceKind::Vxlan,
                             .mtu = device_mtu,
                             .address = self.tunnel_address,
                             .mac = self.vtep_mac,
                             .vni = kCalicoVni,
                             .udp_port = kCalicoVxlanPort});
    state.routes.set(slice(i), {.kind = RouteKind::Blackhole, .protocol = RouteProtocol::Felix});
  }
  const IpPrefix subnet = IpPrefix::containing(self.address, 24);
  state.routes.set(subnet, {.device = "eth0"});
  state.routes.set(
      {}, {.device = "eth0", .via = subnet.network() + 1, .protocol = RouteProtocol::Static});
  for (std::uint32_t number = 0; number < shape.pods_per_node; ++number)
    state.pods.push_back({pod(i, number), device_mtu});
  return state;
}

inline FabricState fabric_state(const ClusterShape& shape) {
  FabricState fabric{.name = "vpc", .mtu = shape.link_mtu};
  for (std::uint32_t s = 0; s < shape.subnets; ++s) {
    fabric.subnets.push_back({.name = "subnet-" + std::to_string(s + 1),
                              .zone = "a",
                              .cidrs = {IpPrefix::containing(ip("10.250.0.0") + (s << 8), 24)}});
  }
  RouteTable table{.name = "table-1"};
  table.routes.set(net("10.250.0.0/16"), {.target = FabricTarget::Local});
  table.routes.set({}, {.target = FabricTarget::Internet});
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    fabric.instances.push_back({.name = "node-" + std::to_string(i + 1),
                                .addresses = {node_address(shape, i)},
                                .subnet = i % shape.subnets});
    if (shape.encapsulation == Encapsulation::None) {
      table.routes.set(slice(i), {FabricTarget::Instance, i, FabricRouteOwner::RouteController});
    }
  }
  fabric.route_tables.push_back(std::move(table));
  return fabric;
}

inline Cluster make_cluster(const ClusterShape& shape) {
  Cluster cluster{.fabric = fabric_state(shape)};
  const auto table = cluster_table(shape);
  for (std::uint32_t i = 0; i < shape.nodes; ++i)
    cluster.nodes.push_back(node_state(shape, table, i));
  return cluster;
}

}  // namespace overlane::node::testing
