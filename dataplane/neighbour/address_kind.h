#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

// Kinds of IP and MAC addresses that ARP and neighbour discovery distinguish, and the addresses
// that they derive from others.

bool is_multicast(const IpAddress& address);
/// Returns whether the address is in fe80::/10 (IPv6 only).
bool is_link_local(const IpAddress& address);
/// Returns whether a host can have the address: it is not multicast, broadcast, loopback or
/// unspecified (ip_route_input_slow, net/ipv4/route.c).
bool is_host(const IpAddress& address);
/// Returns whether the address is 0.0.0.0 or ::.
bool is_unspecified(const IpAddress& address);
/// Returns whether a port can have the MAC: it is not broadcast, multicast or zero.
bool is_port(const MacAddress& address);

/// Returns ff02::1, all nodes of the link (RFC 4291 2.7.1).
IpAddress all_nodes();
/// Returns the solicited-node address: ff02::1:ff00:0/104 with the last 24 bits of the address (RFC
/// 4291 2.7.1).
IpAddress solicited_node(const IpAddress& address);
bool is_solicited_node(const IpAddress& address);
/// Returns the MAC of an IPv6 multicast address: 33:33 and its last 32 bits (RFC 2464, section 7).
MacAddress multicast_mac(const IpAddress& address);
/// Returns the link-local address that Linux gives every port (addrconf_addr_gen): fe80::/64 with
/// the MAC as interface identifier (RFC 4291, appendix A). Example: fe80::ecee:eeff:feee:eeee for
/// ee:ee:ee:ee:ee:ee.
IpAddress link_local(const MacAddress& mac);

inline constexpr MacAddress kBroadcastMac{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

/// Returns the source address of an IPv4 or IPv6 packet; nothing if its header is malformed.
std::optional<IpAddress> source_of(std::span<const std::uint8_t> packet);

}  // namespace overlane::neighbour
