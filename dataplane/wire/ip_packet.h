#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/net/flow_hash.h"

namespace overlane::wire {

/// An IPv4 or IPv6 packet of a flow, `bytes` long with all headers and with right checksums: an IP
/// header without options, of UDP its header where `bytes` have room for it, and zeros.
std::vector<std::uint8_t> ip_packet(const FlowKey& flow, std::size_t bytes, std::uint8_t ttl = 64);

}  // namespace overlane::wire
