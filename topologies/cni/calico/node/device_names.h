#pragma once

#include <string_view>

#include "dataplane/net/address.h"

namespace overlane::calico {

inline constexpr std::string_view kIpipDevice = "tunl0";
inline constexpr std::string_view kVxlanDevice = "vxlan.calico";

/// Felix's defaults WireguardInterfaceName and WireguardInterfaceNameV6.
constexpr std::string_view wireguard_device_name(Family family) {
  return family == Family::Ipv4 ? "wireguard.cali" : "wg-v6.cali";
}

}  // namespace overlane::calico
