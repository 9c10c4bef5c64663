#pragma once

#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// Interval between the datagrams of a constant-rate stream: whole picoseconds, plus a remainder as
/// a fraction of the rate.
class Pace {
 public:
  /// `rate` > 0.
  constexpr Pace(Bytes payload, BitsPerSecond rate) : rate_(rate.count) {
    const WideInteger bit_picos = WideInteger{payload.count} * 8 * 1'000'000'000'000;
    gap_ = {static_cast<std::int64_t>(bit_picos / rate_)};
    rest_ = static_cast<std::int64_t>(bit_picos % rate_);
  }

  /// Rounded down to whole picoseconds.
  constexpr Picos gap() const { return gap_; }

 private:
  friend class PacedTime;

  Picos gap_;
  std::int64_t rest_ = 0;
  std::int64_t rate_;
};

/// Departure time of a datagram of a constant-rate stream, relative to the first. Exact for each
/// datagram: rounding errors do not accumulate.
class PacedTime {
 public:
  constexpr Picos offset() const { return offset_; }
  /// Advances to the next datagram.
  constexpr void advance(const Pace& pace) {
    offset_ += pace.gap_;
    rest_ += pace.rest_;
    if (rest_ < pace.rate_) return;
    rest_ -= pace.rate_;
    ++offset_.count;
  }
  /// Advances by an irregular gap.
  constexpr void advance(Picos gap) { offset_ += gap; }

 private:
  Picos offset_;
  std::int64_t rest_ = 0;
};

}  // namespace overlane::transport
