#include "topologies/compile/node.h"

#include <memory>

#include "topologies/compile/fabric.h"

namespace overlane::compile {
namespace {

using effective::Dataplane;
using node::PeerRoute;
using node::RouteProtocol;

constexpr std::string_view kUplink = "eth0";
constexpr std::string_view kIpipDevice = "tunl0";
constexpr std::string_view kVxlanDevice = "vxlan.calico";
constexpr std::uint8_t kIpipProtocol = 4;

/// systemd's sysctl.d/50-default.conf sets net.ipv4.conf.*.rp_filter to loose.
constexpr std::uint8_t kLooseRpFilter = 2;

/// Felix derives a VTEP's MAC from the node's name; here from its number, locally administered.
MacAddress vtep_mac(std::uint32_t node) {
  return {{0x66, 0x00, static_cast<std::uint8_t>(node >> 24), static_cast<std::uint8_t>(node >> 16),
           static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node)}};
}

/// How Calico writes the route to a peer's slice when it encapsulates.
PeerRoute tunnel_route(const Dataplane& dataplane) {
  switch (dataplane.encapsulation) {
    case effective::Encapsulation::Ipip:
      return {PeerRoute::Via::NodeAddress, kIpipDevice, true, RouteProtocol::Bird, 0};
    case effective::Encapsulation::Vxlan:
      return {PeerRoute::Via::TunnelAddress, kVxlanDevice, true, RouteProtocol::Felix,
              dataplane.tunnel_mtu};
    case effective::Encapsulation::None:
    case effective::Encapsulation::Geneve:
      return {};
  }
  return {};
}

/// How it does without encapsulation.
PeerRoute plain_route(const Dataplane& dataplane) {
  const auto protocol =
      dataplane.backend == effective::Backend::Vxlan ? RouteProtocol::Felix : RouteProtocol::Bird;
  return {PeerRoute::Via::NodeAddress, kUplink, false, protocol, 0};
}

/// Whether calico-node keeps routes to the peers at all: backend none leaves that to the cloud.
bool calico_writes_routes(const Dataplane& dataplane) {
  return dataplane.backend == effective::Backend::Bird ||
         dataplane.backend == effective::Backend::Vxlan;
}

std::shared_ptr<const node::ClusterTable> cluster_table(const graph::Topology& topology,
                                                        const Dataplane& dataplane) {
  auto table = std::make_shared<node::ClusterTable>();
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    const graph::Node& node = topology.nodes()[i];
    table->add({.name = node.name,
                .subnet = node.subnet,
                .ipv4 = node::MemberAddresses{.node = node.address,
                                              .pod_slice = node.pod_slice,
                                              .tunnel = IpAddress(node.pod_slice.network) + 1,
                                              .vtep_mac = vtep_mac(i)}});
  }
  if (calico_writes_routes(dataplane)) {
    const bool tunnels = dataplane.encapsulation != effective::Encapsulation::None;
    node::PeerRoutes& routes = table->ipv4;
    routes.other_subnet = tunnels ? tunnel_route(dataplane) : plain_route(dataplane);
    routes.same_subnet =
        tunnels && !dataplane.cross_subnet ? routes.other_subnet : plain_route(dataplane);
  }
  return table;
}

std::vector<node::Device> devices(const node::MemberAddresses& self, const Dataplane& dataplane) {
  std::vector<node::Device> list{{.name = kUplink,
                                  .kind = node::DeviceKind::Uplink,
                                  .mtu = dataplane.link_mtu,
                                  .addresses = {self.node},
                                  .rp_filter = kLooseRpFilter}};
  if (dataplane.encapsulation == effective::Encapsulation::Ipip) {
    list.push_back({.name = kIpipDevice,
                    .kind = node::DeviceKind::Ipip,
                    .mtu = dataplane.tunnel_mtu,
                    .addresses = {self.tunnel},
                    .rp_filter = kLooseRpFilter});
  }
  if (dataplane.encapsulation == effective::Encapsulation::Vxlan) {
    list.push_back({.name = kVxlanDevice,
                    .kind = node::DeviceKind::Vxlan,
                    .mtu = dataplane.tunnel_mtu,
                    .addresses = {self.tunnel},
                    .mac = self.vtep_mac,
                    .vni = node::kCalicoVni,
                    .udp_port = node::kCalicoVxlanPort,
                    .rp_filter = kLooseRpFilter});
  }
  return list;
}

fib::PrefixTable<node::Route> own_routes(const node::MemberAddresses& self,
                                         const Ipv4Prefix& subnet, const Dataplane& dataplane) {
  fib::PrefixTable<node::Route> routes;
  routes.set({}, {.device = kUplink, .via = gateway(subnet), .protocol = RouteProtocol::Boot});
  routes.set(subnet, {.device = kUplink});
  if (calico_writes_routes(dataplane)) {
    // The local block's black hole stops packets for vanished pods from leaving the node again.
    routes.set(self.pod_slice,
               {.kind = node::RouteKind::Blackhole,
                .protocol = dataplane.backend == effective::Backend::Vxlan ? RouteProtocol::Felix
                                                                           : RouteProtocol::Bird});
  }
  return routes;
}

/// Felix takes tunnel packets from hosts of the cluster alone (felix/rules/static.go), and leaves
/// VXLAN untracked.
std::shared_ptr<const node::PacketFilter> packet_filter(const Dataplane& dataplane) {
  auto filter = std::make_shared<node::PacketFilter>();
  if (dataplane.encapsulation == effective::Encapsulation::Ipip) {
    filter->tunnel_guards = {{.protocol = kIpipProtocol}};
  }
  if (dataplane.encapsulation == effective::Encapsulation::Vxlan) {
    filter->tunnel_guards = {{.protocol = node::kTrackedUdp, .udp_port = node::kCalicoVxlanPort}};
    filter->untracked_udp_ports = {node::kCalicoVxlanPort};
  }
  return filter;
}

}  // namespace

std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const effective::EffectiveDataplane& shoot) {
  const Dataplane& dataplane = shoot.dataplane;
  const auto cluster = cluster_table(topology, dataplane);
  const auto filter = packet_filter(dataplane);
  std::vector<node::NodeState> states;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    node::NodeState state;
    state.cluster = cluster;
    state.filter = filter;
    state.self = node::MemberIndex{i};
    const node::MemberAddresses& self = *state.member().ipv4;
    state.devices = devices(self, dataplane);
    state.routes = own_routes(self, topology.subnets()[state.member().subnet].cidr, dataplane);
    const graph::Topology::PodRange pods = topology.pods_of(i);
    for (std::uint32_t p = pods.first; p < pods.first + pods.count; ++p) {
      state.pods.push_back({topology.pods()[p].address, dataplane.pod_mtu});
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace overlane::compile
