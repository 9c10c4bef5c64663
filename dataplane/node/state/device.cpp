#include "dataplane/node/state/device.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::node {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Loopback:
      return "loopback";
    case DeviceKind::Uplink:
      return "uplink";
    case DeviceKind::Ipip:
    case DeviceKind::Sit:
    case DeviceKind::Ip6Tnl:
    case DeviceKind::Vxlan:
    case DeviceKind::Geneve:
    case DeviceKind::Wireguard:
      return overlane::to_string(encapsulation_of(kind));
  }
  return "";
}

std::optional<IpAddress> Device::address(Family family) const {
  const auto at = std::ranges::find(addresses, family, &IpAddress::family);
  return at == addresses.end() ? std::nullopt : std::optional(*at);
}

bool Device::has(IpAddress address) const {
  return std::ranges::find(addresses, address) != addresses.end();
}

std::string to_string(const Device& device) {
  std::string text = fmt::format("{}: {}", device.name.view(), to_string(device.kind));
  if (device.kind == DeviceKind::Vxlan || device.kind == DeviceKind::Geneve) {
    text += fmt::format(" id {} dstport {}", device.vni, device.udp_port);
  }
  if (device.kind == DeviceKind::Wireguard) text += fmt::format(" port {}", device.udp_port);
  if (device.kind == DeviceKind::Vxlan) text += fmt::format(" lladdr {}", device.mac.to_string());
  if (device.external) text += " external";
  if (device.remote) text += fmt::format(" remote {}", device.remote->to_string());
  if (device.underlay == Family::Ipv6) text += " over IPv6";
  text += fmt::format(" mtu {} state {}", device.mtu, device.up ? "UP" : "DOWN");
  for (const IpAddress& address : device.addresses) {
    text += fmt::format(" {} {}", address.is_ipv4() ? "inet" : "inet6", address.to_string());
  }
  if (device.rp_filter != 0) text += fmt::format(" rp_filter {}", device.rp_filter);
  return text;
}

}  // namespace overlane::node
