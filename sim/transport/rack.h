#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/transport/timer.h"

namespace overlane::transport {

/// State of RACK (RFC 8985 section 6), updated as segments arrive: the latest round-trip time, and
/// whether reordering was seen. The minimum round-trip time is that of the whole connection, not of
/// a time window. The reordering window does not adapt, since the receiver sends no DSACK (RFC
/// 2883).
class Rack {
 public:
  /// The latest transmission of a segment; `order` (from 1) is its position among all
  /// transmissions.
  struct Transmission {
    Picos at;
    std::uint32_t order = 0;
    bool repeats = false;  ///< Not the first transmission of this segment.
  };

  /// The segment that ends at `end` was acknowledged or sacked for the first time at `now`. `echo`:
  /// the echoed timestamp, or kNever (section 6.2, steps 1 to 3).
  void delivered(const Transmission& sent, std::int64_t end, Picos echo, Picos now) {
    if (end > farthest_) {
      farthest_ = end;
    } else if (!sent.repeats) {
      reordering_ = true;
    }
    const Picos rtt = now - sent.at;
    // An earlier transmission may have arrived.
    if (sent.repeats && (echo < sent.at || rtt < least_rtt_)) return;
    least_rtt_ = std::min(least_rtt_, rtt);
    if (after(sent.order)) return;
    order_ = sent.order;
    rtt_ = rtt;
  }

  /// Whether the latest transmission that arrived was sent after this one (RACK_sent_after; by
  /// order, since the send times of a burst are equal). Numbers may wrap.
  bool after(std::uint32_t order) const { return static_cast<std::int32_t>(order_ - order) > 0; }
  /// When an overtaken segment counts as lost.
  Picos lost_at(Picos sent_at, Picos window) const { return sent_at + rtt_ + window; }

  /// The reordering window (step 4): zero in recovery or after three sacked segments, unless
  /// reordering was seen.
  Picos window(bool in_recovery, std::uint32_t sacked, Picos smoothed_rtt) const {
    constexpr std::uint32_t kDuplicateThreshold = 3;  // net.ipv4.tcp_reordering, DupThresh.
    if (!reordering_ && (in_recovery || sacked >= kDuplicateThreshold)) return {};
    return least_rtt_ == kNever ? Picos{} : std::min(least_rtt_ / 4, smoothed_rtt);
  }

 private:
  Picos rtt_;                  ///< RACK.rtt
  Picos least_rtt_ = kNever;   ///< RACK.min_RTT
  std::int64_t farthest_ = 0;  ///< RACK.fack
  std::uint32_t order_ = 0;    ///< Replaces RACK.xmit_ts and RACK.end_seq.
  bool reordering_ = false;    ///< RACK.reordering_seen
};

}  // namespace overlane::transport
