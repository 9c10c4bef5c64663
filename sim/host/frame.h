#pragma once

#include <algorithm>

#include "dataplane/net/units.h"

namespace overlane::host {

/// Bytes of Ethernet around an IP packet: preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3).
inline constexpr std::int64_t kFrameOverhead = 38;
/// In bytes; shorter payloads are padded.
inline constexpr std::int64_t kMinFramePayload = 46;

/// How long an IP packet occupies a link.
constexpr Picos frame_time(std::int64_t ip_bytes, BitsPerSecond rate) {
  return serialization_time(Bytes{std::max(ip_bytes, kMinFramePayload) + kFrameOverhead}, rate);
}

/// A link with a precomputed time per byte: at common rates, a byte takes a whole number of
/// picoseconds.
class Link {
 public:
  explicit constexpr Link(BitsPerSecond rate)
      : time_or_rate_(kBytePicos % rate.count == 0 ? kBytePicos / rate.count : -rate.count) {}

  /// frame_time() at the link's rate.
  constexpr Picos frame_time(std::int64_t ip_bytes) const {
    return time_of(std::max(ip_bytes, kMinFramePayload) + kFrameOverhead);
  }
  /// serialization_time() at the link's rate.
  constexpr Picos time_of(std::int64_t bytes) const {
    if (time_or_rate_ < 0) return serialization_time(Bytes{bytes}, {-time_or_rate_});
    return {bytes * time_or_rate_};
  }

 private:
  static constexpr std::int64_t kBytePicos = 8'000'000'000'000;  ///< Time of a byte at 1 bit/s.

  /// Picoseconds per byte where that is a whole number, else the negative rate: one number, so that
  /// a NIC fits a cache line.
  std::int64_t time_or_rate_;
};

}  // namespace overlane::host
