#include "dataplane/node/device.h"

#include <fmt/format.h>

namespace overlane::node {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Loopback:
      return "loopback";
    case DeviceKind::Uplink:
      return "uplink";
    case DeviceKind::Ipip:
      return "ipip";
    case DeviceKind::Vxlan:
      return "vxlan";
  }
  return "";
}

std::string to_string(const Device& device) {
  std::string text = fmt::format("{}: {} mtu {} state {}", device.name, to_string(device.kind),
                                 device.mtu, device.up ? "UP" : "DOWN");
  if (device.address) text += fmt::format(" inet {}", device.address->to_string());
  if (device.kind == DeviceKind::Vxlan) {
    text += fmt::format(" id {} dstport {} lladdr {}", device.vni, device.udp_port,
                        device.mac.to_string());
  }
  if (device.rp_filter != 0) text += fmt::format(" rp_filter {}", device.rp_filter);
  return text;
}

}  // namespace overlane::node
