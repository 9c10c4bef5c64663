#include "topologies/compile/node.h"

#include <algorithm>
#include <memory>

#include "topologies/compile/calico.h"
#include "topologies/compile/cilium.h"
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

/// With host-local IPAM the first address of the pod CIDR is the tunnel device's.
node::MemberAddresses addresses(IpAddress node, const IpPrefix& pod_cidr, const MacAddress& mac) {
  return {.node = node, .pod_cidr = pod_cidr, .tunnel = pod_cidr.network() + 1, .vtep_mac = mac};
}

node::PeerRoutes peer_routes(NodeAgent agent, const Dataplane& dataplane, Family family) {
  switch (agent) {
    case NodeAgent::CalicoNode:
      return calico_peer_routes(dataplane, family);
    case NodeAgent::CiliumAgent:
      return cilium_peer_routes(dataplane);
  }
  return {};
}

std::shared_ptr<const node::ClusterTable> cluster_table(const graph::Topology& topology,
                                                        const EffectiveDataplane& shoot) {
  auto table = std::make_shared<node::ClusterTable>();
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    const graph::Node& node = topology.nodes()[i];
    const auto& [ipv4, ipv6] = node.addresses;
    node::Member member{.name = node.name, .subnet = node.subnet, .ipv4 = {}, .ipv6 = {}};
    if (ipv4) member.ipv4 = addresses(ipv4->address, ipv4->pod_cidr, vtep_mac(i));
    if (ipv6) member.ipv6 = addresses(ipv6->address, ipv6->pod_cidr, vtep_mac(i));
    table->add(std::move(member));
  }
  if (const auto* ipv4 = shoot.dataplane_of(Family::Ipv4))
    table->ipv4 = peer_routes(shoot.agent, *ipv4, Family::Ipv4);
  if (const auto* ipv6 = shoot.dataplane_of(Family::Ipv6))
    table->ipv6 = peer_routes(shoot.agent, *ipv6, Family::Ipv6);
  return table;
}

/// The machine as it booted: its interface, its subnet and the way out.
void add_uplink(const graph::Subnet& subnet, const Dataplane& dataplane, node::NodeState& state) {
  state.devices.push_back({.name = kUplink,
                           .kind = node::DeviceKind::Uplink,
                           .mtu = dataplane.link_mtu,
                           .addresses = {},
                           .rp_filter = kLooseRpFilter});
  for (const Family family : graph::kFamilies) {
    const IpPrefix* cidr = subnet.cidr.in(family);
    if (cidr == nullptr) continue;
    state.devices.back().addresses.push_back(state.member().in(family)->node);
    // The subnet's router has its first address on every provider of the table.
    state.routes.set(
        IpPrefix::containing(cidr->network(), 0),
        {.device = kUplink, .via = cidr->network() + 1, .protocol = RouteProtocol::Boot});
    state.routes.set(*cidr, {.device = kUplink});
  }
}

void add_cni(const EffectiveDataplane& shoot, node::NodeState& state) {
  switch (shoot.agent) {
    case NodeAgent::CalicoNode:
      add_calico(shoot, state);
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
  const auto cluster = cluster_table(topology, shoot);
  const auto filter = packet_filter(shoot);
  std::vector<node::NodeState> states;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    node::NodeState state;
    state.cluster = cluster;
    state.filter = filter;
    state.self = node::MemberIndex{i};
    add_uplink(topology.subnets()[state.member().subnet], shoot.dataplane, state);
    add_cni(shoot, state);
    const graph::Topology::PodRange pods = topology.pods_of(i);
    for (std::uint32_t p = pods.first; p < pods.first + pods.count; ++p) {
      for (const Family family : graph::kFamilies) {
        const IpAddress* address = topology.pods()[p].address.in(family);
        if (address != nullptr)
          state.pods.push_back(local_pod(*address, *shoot.dataplane_of(family)));
      }
    }
    std::ranges::sort(state.pods, {}, &node::LocalPod::address);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace overlane::compile
