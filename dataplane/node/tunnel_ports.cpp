#include "dataplane/node/tunnel_ports.h"

#include <algorithm>
#include <set>

namespace overlane::node {

Encapsulation TunnelPorts::at(std::uint16_t port) const {
  if (std::ranges::find(vxlan, port) != vxlan.end()) return Encapsulation::Vxlan;
  if (std::ranges::find(geneve, port) != geneve.end()) return Encapsulation::Geneve;
  return Encapsulation::None;
}

std::vector<std::uint16_t> TunnelPorts::all() const {
  std::set<std::uint16_t> ports(vxlan.begin(), vxlan.end());
  ports.insert(geneve.begin(), geneve.end());
  return {ports.begin(), ports.end()};
}

TunnelPorts tunnel_ports(const NodeState& state) {
  TunnelPorts ports{.vxlan = {kCalicoVxlanPort, kCiliumVxlanPort}, .geneve = {kGenevePort}};
  for (const Device& device : state.devices) {
    if (device.kind == DeviceKind::Vxlan) ports.vxlan.push_back(device.udp_port);
    if (device.kind == DeviceKind::Geneve) ports.geneve.push_back(device.udp_port);
  }
  return ports;
}

}  // namespace overlane::node
