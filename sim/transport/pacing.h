#pragma once

#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// How far apart the datagrams of a constant stream are: a whole number of picoseconds, and the
/// rest as a fraction of the rate.
class Pace {
 public:
  /// `rate` > 0.
  constexpr Pace(Bytes payload, BitsPerSecond rate) : rate_(rate.count) {
    const WideInteger bit_picos = WideInteger{payload.count} * 8 * 1'000'000'000'000;
    gap_ = {static_cast<std::int64_t>(bit_picos / rate_)};
    rest_ = static_cast<std::int64_t>(bit_picos % rate_);
  }

  /// Rounded down.
  constexpr Picos gap() const { return gap_; }

 private:
  friend class PacedTime;

  Picos gap_;
  std::int64_t rest_ = 0;
  std::int64_t rate_;
};

/// When a datagram of a constant stream leaves, after the first one: exact at every number, so that
/// rounding never adds up.
class PacedTime {
 public:
  constexpr Picos offset() const { return offset_; }
  /// Goes on to the next datagram.
  constexpr void advance(const Pace& pace) {
    offset_ += pace.gap_;
    rest_ += pace.rest_;
    if (rest_ < pace.rate_) return;
    rest_ -= pace.rate_;
    ++offset_.count;
  }
  /// To one that does not follow the pace.
  constexpr void advance(Picos gap) { offset_ += gap; }

 private:
  Picos offset_;
  std::int64_t rest_ = 0;
};

}  // namespace overlane::transport
