#pragma once

#include <span>

#include "dataplane/encap/outer_packet.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::encap {

/// The outer packet cut to its UDP datagram, as __udp4_lib_rcv and __udp6_lib_rcv accept it
/// (net/ipv4/udp.c, net/ipv6/udp.c): Drop::Malformed for a length that lies, where 0 over IPv6
/// means all of the packet; Drop::BadChecksum for a wrong checksum and, over IPv6, for none, unless
/// `zero_over_ipv6` (`udp6zerocsumrx`).
Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6);

}  // namespace overlane::encap
