#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::fou {

/// Takes an outer packet apart in place. Refused are what encap::read_outer_ipv4(),
/// encap::read_udp() and encap::take_inner() refuse. The port is the caller's business
/// (fou_udp_recv, net/ipv4/fou_core.c).
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

}  // namespace overlane::fou
