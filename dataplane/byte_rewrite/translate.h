#pragma once

#include <cstdint>
#include <span>

#include "dataplane/forward/packet.h"

namespace overlane::byte_rewrite {

/// Gives a whole packet the addresses, ports or identifier of `after`, which is the same packet
/// behind NAT; an ICMP error also those in its quote. Checksums are corrected by the difference
/// (RFC 1624), in the quote as far as they are there; a UDP checksum of zero stays (RFC 768), as
/// nf_nat_manip_pkt and nf_nat_icmp_reply_translation do it (net/netfilter/nf_nat_proto.c).
void translate(std::span<std::uint8_t> packet, const forward::Packet& after);

}  // namespace overlane::byte_rewrite
