#include "topologies/compile/packet_filter.h"

#include <algorithm>

#include "dataplane/node/state/device.h"
#include "topologies/compile/calico.h"

namespace overlane::compile {
namespace {

using effective::EffectiveDataplane;
using node::PacketFilter;

constexpr std::uint8_t kIpipProtocol = 4;

/// Felix takes tunnel packets from hosts of the cluster alone, leaves VXLAN untracked
/// (felix/rules/static.go), and masquerades what leaves a tunnel device with another of the node's
/// addresses (natOutgoing's neighbour there). externalNodesCIDRs stay empty: Gardener sets none.
void guard_tunnels(effective::Encapsulation encapsulation, PacketFilter& filter) {
  switch (encapsulation) {
    case effective::Encapsulation::None:
    case effective::Encapsulation::Geneve:
      return;
    case effective::Encapsulation::Ipip:
      filter.tunnel_guards = {{.protocol = kIpipProtocol}};
      filter.tunnel_devices = {"tunl0"};
      return;
    case effective::Encapsulation::Vxlan:
      filter.tunnel_guards = {{.protocol = node::kTrackedUdp, .udp_port = node::kCalicoVxlanPort}};
      filter.untracked_udp_ports = {node::kCalicoVxlanPort};
      filter.tunnel_devices = {"vxlan.calico"};
      return;
  }
}

/// What leaves these devices with another of the node's addresses is masqueraded as well: that
/// address is not among its allowed IPs.
void add_wireguard(const EffectiveDataplane& shoot, PacketFilter& filter) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const effective::Dataplane* dataplane = shoot.dataplane_of(family);
    if (dataplane == nullptr || !dataplane->is_encrypted()) continue;
    filter.tunnel_devices.push_back(family == Family::Ipv4 ? kWireguardDevice : kWireguardDeviceV6);
  }
  std::ranges::sort(filter.tunnel_devices);
}

void masquerade(const effective::Masquerade& masquerade, PacketFilter& filter) {
  filter.masqueraded_sources = masquerade.sources;
  filter.unmasqueraded_destinations = masquerade.except;
  filter.masqueraded_destinations = masquerade.upstream_dns;
  for (auto* list : {&filter.masqueraded_sources, &filter.unmasqueraded_destinations,
                     &filter.masqueraded_destinations}) {
    std::ranges::sort(*list);
  }
  if (masquerade.limits_ports) filter.nat_ports = node::kGardenerNatPorts;
  filter.random_fully = masquerade.random_ports;
}

}  // namespace

std::shared_ptr<const PacketFilter> packet_filter(const EffectiveDataplane& shoot) {
  auto filter = std::make_shared<PacketFilter>();
  filter->tracking = node::Tracking::Translated;
  // Cilium's programs take tunnel packets from anyone, and keep no connections of the kernel's.
  if (shoot.agent == effective::NodeAgent::CalicoNode)
    guard_tunnels(shoot.dataplane.encapsulation, *filter);
  if (shoot.agent == effective::NodeAgent::CalicoNode) add_wireguard(shoot, *filter);
  masquerade(shoot.masquerade, *filter);
  return filter;
}

}  // namespace overlane::compile
