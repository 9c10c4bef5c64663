#pragma once

#include <algorithm>

#include "dataplane/net/units.h"

namespace overlane::host {

/// Ethernet around an IP packet: preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3).
inline constexpr std::int64_t kFrameOverhead = 38;
/// Shorter payloads are padded.
inline constexpr std::int64_t kLeastFramePayload = 46;

/// How long an IP packet occupies a link.
constexpr Picos frame_time(std::int64_t ip_bytes, BitsPerSecond rate) {
  return serialization_time(Bytes{std::max(ip_bytes, kLeastFramePayload) + kFrameOverhead}, rate);
}

}  // namespace overlane::host
