#pragma once

#include <compare>
#include <cstdint>

#include "dataplane/net/address.h"

namespace overlane::node {

/// An ICMP error (RFC 792, RFC 1191, RFC 4443) and the flow of the packet it quotes.
struct IcmpError {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint32_t next_hop_mtu = 0;  ///< Of "fragmentation needed" (3/4) and "packet too big" (2/0).
  std::uint32_t pointer = 0;       ///< Of an ICMPv6 parameter problem (4/x): the octet at fault.
  IpAddress quoted_source;
  IpAddress quoted_destination;
  std::uint8_t quoted_protocol = 0;
  std::uint16_t quoted_source_port = 0;       ///< Of an ICMP message its identifier …
  std::uint16_t quoted_destination_port = 0;  ///< … and type · 256 + code.

  auto operator<=>(const IcmpError&) const = default;
};

/// Whether it says that a packet was too large for a link.
constexpr bool is_packet_too_big(const IcmpError& error, Family family) {
  return family == Family::Ipv4 ? error.type == 3 && error.code == 4 : error.type == 2;
}

/// ICMPv6's parameter problem, whose pointer stands where "packet too big" has the MTU.
constexpr bool is_parameter_problem(const IcmpError& error, Family family) {
  return family == Family::Ipv6 && error.type == 4;
}

}  // namespace overlane::node
