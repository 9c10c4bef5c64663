#include "topologies/compile/node.h"

#include <algorithm>
#include <memory>

#include "topologies/compile/calico.h"
#include "topologies/compile/cilium.h"
#include "topologies/compile/fabric.h"
#include "topologies/compile/packet_filter.h"
#include "topologies/compile/uplink.h"

namespace overlane::compile {
namespace {

using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::NodeAgent;
using node::RouteProtocol;

/// Felix derives a VTEP's MAC from the node's name; here from its number, locally administered.
MacAddress vtep_mac(std::uint32_t node) {
  return {{0x66, 0x00, static_cast<std::uint8_t>(node >> 24), static_cast<std::uint8_t>(node >> 16),
           static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node)}};
}

/// With host-local IPAM the first address of the slice is the tunnel device's.
node::MemberAddresses addresses(IpAddress node, const IpPrefix& slice, const MacAddress& mac) {
  return {.node = node, .pod_slice = slice, .tunnel = slice.network() + 1, .vtep_mac = mac};
}

std::shared_ptr<const node::ClusterTable> cluster_table(const graph::Topology& topology,
                                                        const EffectiveDataplane& shoot) {
  auto table = std::make_shared<node::ClusterTable>();
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    const graph::Node& node = topology.nodes()[i];
    node::Member member{.name = node.name,
                        .subnet = node.subnet,
                        .ipv4 = addresses(node.address, node.pod_slice, vtep_mac(i)),
                        .ipv6 = {}};
    if (node.ipv6) member.ipv6 = addresses(node.ipv6->address, node.ipv6->pod_slice, vtep_mac(i));
    table->add(std::move(member));
  }
  switch (shoot.agent) {
    case NodeAgent::CalicoNode:
      table->ipv4 = calico_peer_routes(shoot.dataplane, Family::Ipv4);
      table->ipv6 = calico_peer_routes(shoot.dataplane, Family::Ipv6);
      break;
    case NodeAgent::CiliumAgent:
      table->ipv4 = cilium_peer_routes(shoot.dataplane);
      table->ipv6 = table->ipv4;
      break;
  }
  return table;
}

/// The machine as it booted: its interface, its subnet and the way out.
void add_uplink(const graph::Subnet& subnet, const Dataplane& dataplane, node::NodeState& state) {
  state.devices.push_back({.name = kUplink,
                           .kind = node::DeviceKind::Uplink,
                           .mtu = dataplane.link_mtu,
                           .addresses = {state.member().ipv4->node},
                           .rp_filter = kLooseRpFilter});
  state.routes.set(
      {}, {.device = kUplink, .via = gateway(subnet.cidr), .protocol = RouteProtocol::Boot});
  state.routes.set(subnet.cidr, {.device = kUplink});
  if (!subnet.ipv6) return;
  state.devices.back().addresses.push_back(state.member().ipv6->node);
  state.routes.set(
      IpPrefix::containing(subnet.ipv6->network(), 0),
      {.device = kUplink, .via = subnet.ipv6->network() + 1, .protocol = RouteProtocol::Boot});
  state.routes.set(*subnet.ipv6, {.device = kUplink});
}

void add_cni(const EffectiveDataplane& shoot, node::NodeState& state) {
  switch (shoot.agent) {
    case NodeAgent::CalicoNode:
      add_calico(shoot.dataplane, state);
      break;
    case NodeAgent::CiliumAgent:
      add_cilium(shoot.dataplane, state);
      break;
  }
  std::ranges::sort(state.devices, {}, &node::Device::name);
}

node::LocalPod local_pod(IpAddress address, const Dataplane& dataplane) {
  node::LocalPod pod{.address = address, .mtu = dataplane.pod_mtu};
  if (dataplane.pod_device_mtu > dataplane.pod_mtu) {
    pod.mtu = dataplane.pod_device_mtu;
    pod.route_mtu = dataplane.pod_mtu;
  }
  return pod;
}

}  // namespace

std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const EffectiveDataplane& shoot) {
  const Dataplane& dataplane = shoot.dataplane;
  const auto cluster = cluster_table(topology, shoot);
  const auto filter = packet_filter(shoot);
  std::vector<node::NodeState> states;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    node::NodeState state;
    state.cluster = cluster;
    state.filter = filter;
    state.self = node::MemberIndex{i};
    add_uplink(topology.subnets()[state.member().subnet], dataplane, state);
    add_cni(shoot, state);
    const graph::Topology::PodRange pods = topology.pods_of(i);
    for (std::uint32_t p = pods.first; p < pods.first + pods.count; ++p) {
      const graph::Pod& pod = topology.pods()[p];
      state.pods.push_back(local_pod(pod.address, dataplane));
      if (pod.ipv6) state.pods.push_back(local_pod(*pod.ipv6, dataplane));
    }
    std::ranges::sort(state.pods, {}, &node::LocalPod::address);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace overlane::compile
