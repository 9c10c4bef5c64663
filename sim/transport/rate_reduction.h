#pragma once

#include <algorithm>
#include <cstdint>

namespace overlane::transport {

/// Proportional rate reduction (RFC 6937): spreads a reduction of the window over one round trip,
/// in proportion to the delivered data.
class RateReduction {
 public:
  /// A recovery begins with `flight` (> 0) bytes outstanding.
  void begin(std::int64_t flight) {
    flight_ = static_cast<std::uint32_t>(flight);
    delivered_ = 0;
    sent_ = 0;
  }
  void sent(std::int64_t bytes) { sent_ += static_cast<std::uint32_t>(bytes); }

  /// The window after an acknowledgement that newly delivers `delivered` bytes and leaves `pipe` in
  /// the network. It approaches `threshold`; below it, the sender recovers by slow start, unless
  /// the acknowledgement makes no `progress` (section 3; the choice between the two bounds is that
  /// of tcp_cwnd_reduction).
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
    // The first retransmission is sent at once.
    return pipe + std::max<std::int64_t>(budget, sent_ == 0 ? mss : 0);
  }

 private:
  std::uint32_t flight_ = 0;     ///< RecoverFS
  std::uint32_t delivered_ = 0;  ///< prr_delivered
  std::uint32_t sent_ = 0;       ///< prr_out
};

}  // namespace overlane::transport
