#pragma once

#include <span>

#include "dataplane/encap/tunnel_bytes.h"
#include "dataplane/wire/ipv4.h"

namespace overlane::encap {

/// Writes UDP, VXLAN and inner Ethernet between the outer IPv4 header and the inner packet.
void write_vxlan_headers(const TunnelHeader& header, const wire::Ipv4Header& inner,
                         std::span<std::uint8_t> packet);

/// Reads them again from the outer packet's payload.
Result<Popped, Drop> read_vxlan_headers(const wire::Ipv4Header& outer,
                                        std::span<std::uint8_t> payload);

}  // namespace overlane::encap
