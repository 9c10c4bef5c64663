#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/address.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::node {

// A network device of a node, reduced to the fields that matter to forwarding: kind, MTU,
// addresses, tunnel parameters (`ip -d link`).

/// The name of a network device, at most 15 characters (IFNAMSIZ, linux/if.h). It is stored in
/// place, so that a route can be copied without allocating.
class DeviceName {
 public:
  static constexpr std::size_t kMaxLength = 15;

  constexpr DeviceName() = default;
  constexpr DeviceName(std::string_view name) {  // NOLINT: reads as a name
    assert(name.size() <= kMaxLength);
    std::ranges::copy(name.substr(0, kMaxLength), name_.begin());
  }
  constexpr DeviceName(const char* name) : DeviceName(std::string_view(name)) {}  // NOLINT

  constexpr std::string_view view() const { return name_.data(); }
  constexpr bool empty() const { return name_[0] == '\0'; }

  auto operator<=>(const DeviceName&) const = default;

 private:
  std::array<char, kMaxLength + 1> name_{};
};

enum class DeviceKind : std::uint8_t {
  Loopback,
  Uplink,
  Ipip,
  Sit,
  Ip6Tnl,
  Vxlan,
  Geneve,
  Wireguard
};

std::string_view to_string(DeviceKind kind);

/// Returns the encapsulation of packets that leave through a device of this kind.
constexpr Encapsulation encapsulation_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Loopback:
    case DeviceKind::Uplink:
      return Encapsulation::None;
    case DeviceKind::Ipip:
      return Encapsulation::Ipip;
    case DeviceKind::Sit:
      return Encapsulation::Sit;
    case DeviceKind::Ip6Tnl:
      return Encapsulation::Ip6Tnl;
    case DeviceKind::Vxlan:
      return Encapsulation::Vxlan;
    case DeviceKind::Geneve:
      return Encapsulation::Geneve;
    case DeviceKind::Wireguard:
      return Encapsulation::Wireguard;
  }
  return Encapsulation::None;
}

/// One network device of a node. Pods' veths are not listed as devices; they follow from LocalPods.
struct Device {
  DeviceName name;  ///< "eth0", "tunl0", "vxlan.calico".
  DeviceKind kind = DeviceKind::Uplink;
  std::uint32_t mtu = 1500;          ///< IP MTU, bytes.
  std::vector<IpAddress> addresses;  ///< The first of a family is its primary one.
  /// Tunnels: family of the outer header.
  Family underlay = Family::Ipv4;
  /// Tunnels: the only far end, destination of every packet sent and source of every packet
  /// accepted. Without it the route decides (`via … onlink`, a neighbour, `encap ip dst …`), and
  /// packets from any source are accepted.
  std::optional<IpAddress> remote;
  /// VXLAN, Geneve: metadata mode. The route has the far end (Route::tunnel_destination), and
  /// packets of every VNI are accepted.
  bool external = false;
  MacAddress mac;         ///< VXLAN, Geneve: MAC of the device.
  std::uint32_t vni = 0;  ///< VXLAN, Geneve: 24 bits.
  /// VXLAN, Geneve: destination port. WireGuard: port on which the device and its peers listen, and
  /// source port.
  std::uint16_t udp_port = 0;
  /// WireGuard: the allowed IPs of a peer are its pod ranges of both families and its node's
  /// addresses (Cilium); else its pod range of the underlay's family (Felix).
  bool allows_nodes = false;
  bool up = true;
  /// net.ipv4.conf.<device>.rp_filter. The larger of this and conf.all's value applies.
  std::uint8_t rp_filter = 0;

  /// Returns the primary address of that family, if any.
  std::optional<IpAddress> address(Family family) const;
  bool has(IpAddress address) const;
  Encapsulation encapsulation() const { return encapsulation_of(kind); }
  /// Returns the size of the largest IP packet that an Ethernet device accepts, in bytes: its MTU
  /// and the room that drivers leave for a VLAN tag. veth drops larger packets (is_skb_forwardable,
  /// net/core/dev.c). Drivers of NICs do so, too: their buffers or filters are set to MTU, Ethernet
  /// header, VLAN tag and FCS (mlx5: MLX5E_ETH_HARD_MTU, ice: ICE_ETH_PKT_HDR_PAD); Linux 6.1.
  /// virtio_net with mergeable buffers accepts more, which is not modelled.
  std::uint32_t receive_limit() const {
    return mtu + static_cast<std::uint32_t>(wire::kVlanTagBytes);
  }

  auto operator<=>(const Device&) const = default;
};

/// Returns one line, similar to the output of `ip -d address`: "tunl0: ipip mtu 1480 state UP inet
/// 100.96.1.1".
std::string to_string(const Device& device);

/// Felix's defaults VXLANVNI and VXLANPort (calico felix/config/config_params.go).
inline constexpr std::uint32_t kCalicoVni = 4096;
inline constexpr std::uint16_t kCalicoVxlanPort = wire::kVxlanPort;
/// Cilium's tunnel port for VXLAN, Linux's old default (cilium pkg/defaults).
inline constexpr std::uint16_t kCiliumVxlanPort = wire::kVxlanLinuxPort;
/// VNI of Cilium's tunnels. It represents the sender's security identity, which Cilium puts into
/// the VNI (identities of pods start at 256).
inline constexpr std::uint32_t kCiliumVni = 256;
/// Port of Geneve (IANA), also Cilium's default.
inline constexpr std::uint16_t kGenevePort = wire::kGenevePort;
/// Felix's defaults WireguardListeningPort and WireguardListeningPortV6 (calico
/// felix/config/config_params.go), and Cilium's (cilium pkg/wireguard/types).
inline constexpr std::uint16_t kCalicoWireguardPort = wire::kWireguardPort;
inline constexpr std::uint16_t kCalicoWireguardPortV6 = 51821;
inline constexpr std::uint16_t kCiliumWireguardPort = 51871;

}  // namespace overlane::node
