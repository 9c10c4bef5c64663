#pragma once

#include <cmath>
#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::run {

/// Upper bounds of the queue in front of a link, or of a token bucket, that only paced flows use
/// (network calculus: Cruz, "A calculus for network delay, part I", IEEE Transactions on
/// Information Theory 37(1), 1991). A flow sends one packet at a time, at least `gap` apart, each
/// of them late by less than `late`; so within any time t it sends at most 1 + (t + late) / gap
/// packets. A first-come-first-served link whose flows together need less than its rate never holds
/// more work than all flows can bring at once. Values are rounded up.
class QueueBound {
 public:
  /// Adds a flow whose packets take `time` each. `gap` > 0.
  void add(Picos gap, Picos late, Picos time) {
    const double per_gap = 1 / static_cast<double>(gap.count);
    const double at_once = 1 + static_cast<double>(late.count) * per_gap;
    rate_ += per_gap;
    at_once_ += at_once;
    load_ += static_cast<double>(time.count) * per_gap;
    burst_ += static_cast<double>(time.count) * at_once;
  }

  /// Whether the flows need less than the link's rate.
  bool is_stable() const { return load_ < kMaxLoad; }
  /// The longest time that a packet spends at the link, from its arrival until it has passed.
  /// `backlog` is the work that the link holds when the bound begins to apply. Requires
  /// is_stable().
  Picos longest(Picos backlog) const {
    return {static_cast<std::int64_t>(std::ceil(burst_ * kMargin)) + backlog.count};
  }
  /// The largest number of packets at the link, after longest(backlog).
  std::int64_t packets(Picos backlog) const {
    const auto within = static_cast<double>(longest(backlog).count);
    return static_cast<std::int64_t>(std::ceil((at_once_ + within * rate_) * kMargin));
  }

 private:
  /// Room for rounding errors of the sums.
  static constexpr double kMargin = 1 + 1e-6;
  static constexpr double kMaxLoad = 1 - 1e-6;

  double rate_ = 0;     ///< Packets per picosecond.
  double at_once_ = 0;  ///< Packets that all flows can bring at once.
  double load_ = 0;     ///< Share of the link's time.
  double burst_ = 0;    ///< Work that all flows can bring at once, in picoseconds.
};

}  // namespace overlane::run
