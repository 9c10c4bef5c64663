#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::ip6tnl {

/// Takes an outer IPv6 packet apart in place, with or without an encapsulation limit, which nobody
/// looks at on arrival. Refused are what encap::read_outer_ipv6() and encap::take_inner() refuse,
/// and with Drop::UnsupportedProtocol other protocols than 4 and 41. Whether a tunnel of these
/// addresses exists is the caller's business (ipxip6_rcv, net/ipv6/ip6_tunnel.c).
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

}  // namespace overlane::ip6tnl
