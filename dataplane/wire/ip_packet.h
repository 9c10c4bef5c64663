#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/net/flow_hash.h"

namespace overlane::wire {

// IP protocol numbers, and a maker of simple valid packets for generators of traffic.

/// IP protocol numbers (IANA), of IPv4's protocol and IPv6's next header field.
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kIpv4InIp = 4;
inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint8_t kIpv6InIp = 41;
inline constexpr std::uint8_t kEncapsulatedSecurityPayload = 50;
inline constexpr std::uint8_t kIcmpv6 = 58;

/// An IPv4 or IPv6 packet of a flow, `bytes` long with all headers and with right checksums: an IP
/// header without options, of UDP its header where `bytes` have room for it, and zeros.
std::vector<std::uint8_t> ip_packet(const FlowKey& flow, std::size_t bytes, std::uint8_t ttl = 64);

}  // namespace overlane::wire
