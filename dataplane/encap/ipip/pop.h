#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ip_in_ipv4.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::ipip {

/// pop() of any packet; the inline part has the usual ones done sooner.
Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet);

/// Takes an outer IPv4 packet apart in place. Refused are what encap::read_outer_ipv4() and
/// encap::take_inner() refuse, and with Drop::UnsupportedProtocol another protocol than 4. Whether
/// a tunnel of these addresses exists is the caller's business (ipip_tunnel_rcv, net/ipv4/ipip.c).
inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::usual_ipv4(packet);
  if (!outer) return pop_unusual(packet);
  return encap::pop_ipv4(Encapsulation::Ipip, Family::Ipv4, *outer);
}

}  // namespace overlane::ipip
