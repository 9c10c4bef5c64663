#pragma once

#include <algorithm>

#include "dataplane/net/units.h"

namespace overlane::host {

/// Bytes of Ethernet around an IP packet: preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3).
inline constexpr std::int64_t kFrameOverhead = 38;
/// In bytes; shorter payloads are padded.
inline constexpr std::int64_t kLeastFramePayload = 46;

/// How long an IP packet occupies a link.
constexpr Picos frame_time(std::int64_t ip_bytes, BitsPerSecond rate) {
  return serialization_time(Bytes{std::max(ip_bytes, kLeastFramePayload) + kFrameOverhead}, rate);
}

/// A link with a precomputed time per byte: at common rates, a byte takes a whole number of
/// picoseconds.
class Link {
 public:
  explicit constexpr Link(BitsPerSecond rate)
      : rate_(rate), picos_per_byte_(kBytePicos % rate.count == 0 ? kBytePicos / rate.count : 0) {}

  /// frame_time() at the link's rate.
  constexpr Picos frame_time(std::int64_t ip_bytes) const {
    if (picos_per_byte_ == 0) return host::frame_time(ip_bytes, rate_);
    return {(std::max(ip_bytes, kLeastFramePayload) + kFrameOverhead) * picos_per_byte_};
  }

 private:
  static constexpr std::int64_t kBytePicos = 8'000'000'000'000;  ///< Time of a byte at 1 bit/s.

  BitsPerSecond rate_;
  std::int64_t picos_per_byte_;
};

}  // namespace overlane::host
