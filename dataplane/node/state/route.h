#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/net/prefix.h"
#include "dataplane/node/state/device.h"

namespace overlane::node {

enum class RouteKind : std::uint8_t { Unicast, Blackhole, Unreachable, Prohibit };

/// Who wrote a route: rtm_protocol of rtnetlink(7). Felix writes cluster routes as 80.
enum class RouteProtocol : std::uint8_t { Kernel = 2, Boot = 3, Static = 4, Bird = 12, Felix = 80 };

std::string_view to_string(RouteProtocol protocol);

/// What a route says about its destination.
struct Route {
  RouteKind kind = RouteKind::Unicast;
  DeviceName device;             ///< The egress device; empty for black holes.
  std::optional<IpAddress> via;  ///< Next hop; none means the destination is on the link.
  bool onlink = false;           ///< The next hop is taken to be on the link.
  /// Lightweight tunnel, `encap ip dst …`: the far end that a tunnel device in metadata mode gets.
  std::optional<IpAddress> tunnel_destination;
  RouteProtocol protocol = RouteProtocol::Kernel;
  std::uint32_t mtu = 0;  ///< Route MTU attribute; 0 when there is none.
  /// Number of a table that a rule consults before the main table; 0: the main table. Used for
  /// display only.
  std::uint8_t table = 0;

  auto operator<=>(const Route&) const = default;
};

/// What packets by the route may take: its own MTU stands for that of the device that it leads to,
/// even when it is larger (ip_dst_mtu_maybe_forward, include/net/ip.h).
constexpr std::uint32_t mtu_by(const Route& route, std::uint32_t device_mtu) {
  return route.mtu != 0 ? route.mtu : device_mtu;
}

/// One line as `ip route show` prints it: "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird
/// onlink".
std::string to_string(const IpPrefix& destination, const Route& route);

}  // namespace overlane::node
