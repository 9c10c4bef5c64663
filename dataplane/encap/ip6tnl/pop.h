#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::ip6tnl {

/// pop() once the outer headers are read, and of any packet; pop() has the usual ones done sooner.
inline Result<encap::Popped, Drop> pop_outer(const encap::OuterPacket& outer) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (outer.protocol != encap::outer_protocol(Encapsulation::Ip6Tnl, family)) continue;
    return encap::take_inner(outer, outer.header_bytes, family);
  }
  return fail(Drop::UnsupportedProtocol);
}
Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet);

/// Takes an outer IPv6 packet apart in place, with or without an encapsulation limit, which nobody
/// looks at on arrival. Refused are what encap::read_outer_ipv6() and encap::take_inner() refuse,
/// and with Drop::UnsupportedProtocol other protocols than 4 and 41. Whether a tunnel of these
/// addresses exists is the caller's business (ipxip6_rcv, net/ipv6/ip6_tunnel.c).
inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::usual_ipv6(packet);
  return outer ? pop_outer(*outer) : pop_unusual(packet);
}

}  // namespace overlane::ip6tnl
