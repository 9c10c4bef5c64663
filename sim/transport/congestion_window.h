#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace overlane::transport {

/// NewReno's congestion window in bytes (RFC 5681, RFC 6582), starting with ten segments (RFC
/// 6928).
class CongestionWindow {
 public:
  explicit CongestionWindow(std::uint32_t mss) : bytes_(10 * std::int64_t{mss}) {}

  std::int64_t bytes() const { return bytes_; }
  bool in_slow_start() const { return bytes_ < threshold_; }

  /// `acknowledged` new bytes while the window was what held the sender back.
  void grow(std::int64_t acknowledged, std::uint32_t mss) {
    if (in_slow_start()) {
      bytes_ += acknowledged;
      return;
    }
    acknowledged_ += acknowledged;
    if (acknowledged_ < bytes_) return;
    acknowledged_ -= bytes_;
    bytes_ += mss;
  }

  /// A loss that acknowledgements showed, with `flight` bytes outstanding.
  void halve(std::int64_t flight, std::uint32_t mss) {
    lower_threshold(flight, mss);
    bytes_ = threshold_;
  }

  /// A retransmission timeout; `first` when it is not the next of a row.
  void collapse(std::int64_t flight, std::uint32_t mss, bool first) {
    if (first) lower_threshold(flight, mss);
    bytes_ = mss;
  }

 private:
  void lower_threshold(std::int64_t flight, std::uint32_t mss) {
    threshold_ = std::max(flight / 2, 2 * std::int64_t{mss});
    acknowledged_ = 0;
  }

  std::int64_t bytes_;
  std::int64_t threshold_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t acknowledged_ = 0;  ///< Since the last growth in congestion avoidance.
};

}  // namespace overlane::transport
