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

using effective::Cni;
using effective::Dataplane;
using effective::EffectiveDataplane;
using node::RouteProtocol;

/// Felix derives a VTEP's MAC from the node's name; here from its number, locally administered.
MacAddress vtep_mac(std::uint32_t node) {
  return {{0x66, 0x00, static_cast<std::uint8_t>(node >> 24), static_cast<std::uint8_t>(node >> 16),
           static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node)}};
}

std::shared_ptr<const node::ClusterTable> cluster_table(const graph::Topology& topology,
                                                        const EffectiveDataplane& shoot) {
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
  switch (shoot.cni) {
    case Cni::Calico:
      table->ipv4 = calico_peer_routes(shoot.dataplane, Family::Ipv4);
      break;
    case Cni::Cilium:
      table->ipv4 = cilium_peer_routes(shoot.dataplane);
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
}

void add_cni(const EffectiveDataplane& shoot, node::NodeState& state) {
  switch (shoot.cni) {
    case Cni::Calico:
      add_calico(shoot.dataplane, state);
      break;
    case Cni::Cilium:
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
      state.pods.push_back(local_pod(topology.pods()[p].address, dataplane));
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace overlane::compile
