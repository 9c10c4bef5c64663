#pragma once

#include <algorithm>
#include <cstdint>

namespace overlane::transport {

/// Proportional rate reduction (RFC 6937): spreads a congestion event's reduction over the round
/// trip of the recovery, by what is delivered.
class RateReduction {
 public:
  /// A recovery begins with `flight` (> 0) bytes outstanding.
  void begin(std::int64_t flight) {
    flight_ = static_cast<std::uint32_t>(flight);
    delivered_ = 0;
    sent_ = 0;
  }
  void sent(std::int64_t bytes) { sent_ += static_cast<std::uint32_t>(bytes); }

  /// The window after an acknowledgement with news of `delivered` bytes, of which `pipe` are left
  /// in the network, on the way to `threshold`. Below it the sender makes up for losses in slow
  /// start, unless this acknowledgement is no `progress` (section 3; which of the two bounds when
  /// is Linux's choice, in tcp_cwnd_reduction).
  std::int64_t window(std::int64_t pipe, std::int64_t delivered, std::int64_t threshold,
                      std::uint32_t mss, bool progress) {
    delivered_ += static_cast<std::uint32_t>(delivered);
    const std::int64_t surplus = std::int64_t{delivered_} - sent_;
    std::int64_t budget = 0;
    if (pipe > threshold) {
      budget = (delivered_ * threshold + flight_ - 1) / flight_ - sent_;
    } else {
      const std::int64_t limit = std::max(surplus, delivered) + (progress ? mss : 0);
      budget = std::min(threshold - pipe, limit);
    }
    // The first retransmission does not wait.
    return pipe + std::max<std::int64_t>(budget, sent_ == 0 ? mss : 0);
  }

 private:
  std::uint32_t flight_ = 0;     ///< RecoverFS
  std::uint32_t delivered_ = 0;  ///< prr_delivered
  std::uint32_t sent_ = 0;       ///< prr_out
};

}  // namespace overlane::transport
