#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ip_in_ipv4.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip_protocol.h"
#include "results/finding/finding.h"

namespace overlane::ipip {

/// Takes an outer IPv4 packet apart in place. Refused are what encap::read_outer_ipv4() and
/// encap::take_inner() refuse, and with Drop::UnsupportedProtocol another protocol than 4. Whether
/// a tunnel of these addresses exists is the caller's business (ipip_tunnel_rcv, net/ipv4/ipip.c).
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4<wire::kIpv4InIp, Family::Ipv4>(packet);
}

}  // namespace overlane::ipip
