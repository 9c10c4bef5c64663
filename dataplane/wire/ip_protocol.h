#pragma once

#include <cstdint>

namespace overlane::wire {

/// IP protocol numbers (IANA), of IPv4's protocol and IPv6's next header field.
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kIpv4InIp = 4;
inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint8_t kIpv6InIp = 41;
inline constexpr std::uint8_t kEncapsulatedSecurityPayload = 50;
inline constexpr std::uint8_t kIcmpv6 = 58;

}  // namespace overlane::wire
