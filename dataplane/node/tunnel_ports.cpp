#include "dataplane/node/tunnel_ports.h"

#include <algorithm>
#include <array>
#include <set>

namespace overlane::node {
namespace {

constexpr std::array kUsualVxlan{kCalicoVxlanPort, kCiliumVxlanPort};
constexpr std::array kUsualGeneve{kGenevePort};

}  // namespace

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
  TunnelPorts ports{.vxlan = {kUsualVxlan.begin(), kUsualVxlan.end()},
                    .geneve = {kUsualGeneve.begin(), kUsualGeneve.end()}};
  for (const Device& device : state.devices) {
    if (device.kind == DeviceKind::Vxlan) ports.vxlan.push_back(device.udp_port);
    if (device.kind == DeviceKind::Geneve) ports.geneve.push_back(device.udp_port);
  }
  return ports;
}

Encapsulation tunnel_at(const NodeState& state, std::uint16_t port) {
  const auto has = [&](DeviceKind kind) {
    return std::ranges::any_of(state.devices, [&](const Device& device) {
      return device.kind == kind && device.udp_port == port;
    });
  };
  const bool is_usual = std::ranges::find(kUsualVxlan, port) != kUsualVxlan.end();
  if (is_usual || has(DeviceKind::Vxlan)) return Encapsulation::Vxlan;
  if (std::ranges::find(kUsualGeneve, port) != kUsualGeneve.end() || has(DeviceKind::Geneve))
    return Encapsulation::Geneve;
  return Encapsulation::None;
}

}  // namespace overlane::node
