#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

bool is_multicast(const IpAddress& address);
/// Whether the address is in fe80::/10 (IPv6 only).
bool is_link_local(const IpAddress& address);
/// Whether one host can have the address: no multicast, broadcast, loopback or unspecified one
/// (ip_route_input_slow, net/ipv4/route.c).
bool is_host(const IpAddress& address);
/// 0.0.0.0 or ::
bool is_unspecified(const IpAddress& address);
/// Whether one port can have the address: not the broadcast, a multicast or the zero one.
bool is_port(const MacAddress& address);

/// ff02::1, all nodes of the link (RFC 4291 2.7.1).
IpAddress all_nodes();
/// ff02::1:ff00:0/104 with the last 24 bits of the address (RFC 4291 2.7.1).
IpAddress solicited_node(const IpAddress& address);
bool is_solicited_node(const IpAddress& address);
/// 33:33 and the last 32 bits of a multicast address (RFC 2464, section 7).
MacAddress multicast_mac(const IpAddress& address);
/// fe80::/64 with the MAC as its interface identifier (RFC 4291, appendix A), which Linux gives
/// every port (addrconf_addr_gen): fe80::ecee:eeff:feee:eeee to ee:ee:ee:ee:ee:ee.
IpAddress link_local(const MacAddress& mac);

inline constexpr MacAddress kBroadcastMac{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

/// Whom a packet of either family says it comes from; nothing when its header is not sound.
std::optional<IpAddress> source_of(std::span<const std::uint8_t> packet);

}  // namespace overlane::neighbour
