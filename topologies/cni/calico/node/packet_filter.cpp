#include <algorithm>

#include "dataplane/node/state/device.h"
#include "topologies/cni/calico/node/device_names.h"
#include "topologies/cni/calico/node/node.h"

namespace overlane::calico {
namespace {

using node::PacketFilter;

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

/// Packets that leave these devices with another address of the node are masqueraded as well,
/// because WireGuard's allowed IPs do not contain that address.
void add_wireguard_devices(const effective::EffectiveDataplane& shoot, PacketFilter& filter) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const effective::Dataplane* dataplane = shoot.dataplane_of(family);
    if (dataplane == nullptr || !dataplane->is_encrypted()) continue;
    filter.tunnel_devices.push_back(wireguard_device_name(family));
  }
  std::ranges::sort(filter.tunnel_devices);
}

}  // namespace

void add_filters(const effective::EffectiveDataplane& shoot, PacketFilter& filter) {
  guard_tunnels(shoot.dataplane.encapsulation, filter);
  add_wireguard_devices(shoot, filter);
}

}  // namespace overlane::calico
