#include "dataplane/node/state/tunnel_ports.h"

#include <algorithm>
#include <array>
#include <set>

namespace overlane::node {
namespace {

constexpr std::array kDefaultVxlanPorts{kCalicoVxlanPort, kCiliumVxlanPort};
constexpr std::array kDefaultGenevePorts{kGenevePort};
constexpr std::array kDefaultWireguardPorts{kCalicoWireguardPort, kCalicoWireguardPortV6,
                                            kCiliumWireguardPort};

}  // namespace

Encapsulation TunnelPorts::at(std::uint16_t port, IpAddress source, IpAddress destination) const {
  if (std::ranges::find(vxlan, port) != vxlan.end()) return Encapsulation::Vxlan;
  if (std::ranges::find(geneve, port) != geneve.end()) return Encapsulation::Geneve;
  const bool is_own = own.empty() || std::ranges::find(own, source) != own.end() ||
                      std::ranges::find(own, destination) != own.end();
  if (is_own && std::ranges::find(wireguard, port) != wireguard.end())
    return Encapsulation::Wireguard;
  return Encapsulation::None;
}

std::vector<std::uint16_t> TunnelPorts::all() const {
  std::set<std::uint16_t> ports(vxlan.begin(), vxlan.end());
  ports.insert(geneve.begin(), geneve.end());
  return {ports.begin(), ports.end()};
}

TunnelPorts tunnel_ports(const NodeState& state) {
  TunnelPorts ports{.vxlan = {kDefaultVxlanPorts.begin(), kDefaultVxlanPorts.end()},
                    .geneve = {kDefaultGenevePorts.begin(), kDefaultGenevePorts.end()},
                    .wireguard = {kDefaultWireguardPorts.begin(), kDefaultWireguardPorts.end()},
                    .own = {}};
  for (const Family family : {Family::Ipv4, Family::Ipv6})
    if (const auto address = state.address(family)) ports.own.push_back(*address);
  for (const Device& device : state.devices) {
    ports.own.insert(ports.own.end(), device.addresses.begin(), device.addresses.end());
    if (device.kind == DeviceKind::Vxlan) ports.vxlan.push_back(device.udp_port);
    if (device.kind == DeviceKind::Geneve) ports.geneve.push_back(device.udp_port);
    if (device.kind == DeviceKind::Wireguard) ports.wireguard.push_back(device.udp_port);
  }
  return ports;
}

Encapsulation tunnel_at(const NodeState& state, std::uint16_t port) {
  const auto has = [&](DeviceKind kind) {
    return std::ranges::any_of(state.devices, [&](const Device& device) {
      return device.kind == kind && device.udp_port == port;
    });
  };
  const bool is_usual = std::ranges::find(kDefaultVxlanPorts, port) != kDefaultVxlanPorts.end();
  if (is_usual || has(DeviceKind::Vxlan)) return Encapsulation::Vxlan;
  if (std::ranges::find(kDefaultGenevePorts, port) != kDefaultGenevePorts.end() ||
      has(DeviceKind::Geneve))
    return Encapsulation::Geneve;
  const bool is_wireguard =
      has(DeviceKind::Wireguard) ||
      std::ranges::find(kDefaultWireguardPorts, port) != kDefaultWireguardPorts.end();
  return is_wireguard ? Encapsulation::Wireguard : Encapsulation::None;
}

Encapsulation tunnel_at(const NodeState& state, std::uint16_t port, IpAddress source,
                        IpAddress destination) {
  const Encapsulation encapsulation = tunnel_at(state, port);
  const bool is_foreign = encapsulation == Encapsulation::Wireguard && !is_local(state, source) &&
                          !is_local(state, destination);
  return is_foreign ? Encapsulation::None : encapsulation;
}

}  // namespace overlane::node
