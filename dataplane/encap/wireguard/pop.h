#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/wireguard/wireguard.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::wireguard {

/// Takes an outer packet of either family with a transport message of Tunnel's kind apart in place.
/// Refused are what encap::read_outer() and encap::read_udp() refuse, and as Drop::Malformed what
/// wg_packet_receive (receive.c) does: a message that is none, or has no packet in full inside. Of
/// the other messages, and of the one without a packet that keeps a session alive, nothing goes on:
/// Drop::UnsupportedProtocol. Congestion that was marked outside on a packet that cannot carry the
/// mark is forgotten (wg_packet_consume_data_done ignores what INET_ECN_decapsulate says). Port,
/// session and the addresses inside are the caller's business.
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

/// The index of what pop() returned.
std::uint32_t receiver(const encap::Popped& popped);

}  // namespace overlane::wireguard
