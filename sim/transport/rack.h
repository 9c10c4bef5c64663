#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/transport/timer.h"

namespace overlane::transport {

/// What RACK (RFC 8985 section 6) learns from the segments that arrive: how long a segment takes,
/// and whether segments overtake each other. The least round-trip time is the connection's, not
/// that of a window of time; the reordering window does not adapt, since the receiver sends no
/// DSACK (RFC 2883).
class Rack {
 public:
  /// The last transmission of a segment, number `order` (from 1) of all.
  struct Transmission {
    Picos at;
    std::uint32_t order = 0;
    bool repeats = false;  ///< Not the first of this segment.
  };

  /// The segment up to `end` was acknowledged or sacked at `now`, the first time. `echo`: the
  /// timestamp that came back, or kNever (section 6.2, steps 1 to 3).
  void delivered(const Transmission& sent, std::int64_t end, Picos echo, Picos now) {
    if (end > farthest_) {
      farthest_ = end;
    } else if (!sent.repeats) {
      reordering_ = true;
    }
    const Picos rtt = now - sent.at;
    // What arrived may have been an earlier transmission.
    if (sent.repeats && (echo < sent.at || rtt < least_rtt_)) return;
    least_rtt_ = std::min(least_rtt_, rtt);
    if (after(sent.order)) return;
    order_ = sent.order;
    rtt_ = rtt;
  }

  /// Whether the latest transmission that arrived came after this one (RACK_sent_after; the order
  /// stands for its comparison of times, which are equal in a burst). Numbers may wrap.
  bool after(std::uint32_t order) const { return static_cast<std::int32_t>(order_ - order) > 0; }
  /// When a segment that one sent after it has overtaken counts as lost.
  Picos lost_at(Picos sent_at, Picos window) const { return sent_at + rtt_ + window; }

  /// The reordering window (step 4): none once three segments are sacked or in recovery, unless
  /// segments have been seen to overtake each other.
  Picos window(bool in_recovery, std::uint32_t sacked, Picos smoothed_rtt) const {
    constexpr std::uint32_t kDuplicateThreshold = 3;  // net.ipv4.tcp_reordering, DupThresh.
    if (!reordering_ && (in_recovery || sacked >= kDuplicateThreshold)) return {};
    return least_rtt_ == kNever ? Picos{} : std::min(least_rtt_ / 4, smoothed_rtt);
  }

 private:
  Picos rtt_;                  ///< RACK.rtt
  Picos least_rtt_ = kNever;   ///< RACK.min_RTT
  std::int64_t farthest_ = 0;  ///< RACK.fack
  std::uint32_t order_ = 0;    ///< For RACK.xmit_ts and RACK.end_seq.
  bool reordering_ = false;    ///< RACK.reordering_seen
};

}  // namespace overlane::transport
