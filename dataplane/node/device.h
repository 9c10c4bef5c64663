#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/prefix.h"

namespace overlane::node {

enum class DeviceKind : std::uint8_t { Loopback, Uplink, Ipip, Vxlan };

std::string_view to_string(DeviceKind kind);

/// What a device does to a packet that leaves through it.
constexpr Encapsulation encapsulation_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Loopback:
    case DeviceKind::Uplink:
      return Encapsulation::None;
    case DeviceKind::Ipip:
      return Encapsulation::Ipip;
    case DeviceKind::Vxlan:
      return Encapsulation::Vxlan;
  }
  return Encapsulation::None;
}

/// One network device of a node. Pods' veths are not listed here: they follow from LocalPods.
struct Device {
  std::string name;  ///< "eth0", "tunl0", "vxlan.calico".
  DeviceKind kind = DeviceKind::Uplink;
  std::uint32_t mtu = 1500;  ///< IP MTU, bytes.
  std::optional<IpAddress> address;
  MacAddress mac;              ///< VXLAN: the VTEP's; else unused.
  std::uint32_t vni = 0;       ///< VXLAN only: 24 bits.
  std::uint16_t udp_port = 0;  ///< VXLAN only: destination port.
  bool up = true;
  /// net.ipv4.conf.<device>.rp_filter; the larger of this and conf.all's counts.
  std::uint8_t rp_filter = 0;

  auto operator<=>(const Device&) const = default;
};

/// One line, close to what `ip -d address` prints: "tunl0: ipip mtu 1480 state UP inet 100.96.1.1".
std::string to_string(const Device& device);

/// Felix's defaults VXLANVNI and VXLANPort (calico felix/config/config_params.go).
inline constexpr std::uint32_t kCalicoVni = 4096;
inline constexpr std::uint16_t kCalicoVxlanPort = 4789;

}  // namespace overlane::node
