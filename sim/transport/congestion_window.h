#pragma once

#include <cstdint>

#include "sim/transport/cubic.h"
#include "sim/transport/new_reno.h"
#include "sim/transport/tcp_config.h"

namespace overlane::transport {

/// A sender's congestion window in bytes: ten segments initially (RFC 6928), slow start (RFC 5681),
/// then the growth of the configured algorithm. Not modelled: HyStart++ (RFC 9406), ECN, and
/// undoing a spurious reduction (RFC 4015, RFC 9438 section 4.9).
///
/// A loss lowers the threshold once per recovery. RateReduction determines how the window
/// approaches it and therefore may set the window.
class CongestionWindow {
 public:
  CongestionWindow(CongestionControl algorithm, std::uint32_t mss)
      : bytes_(kInitialSegments * mss), algorithm_(algorithm) {}

  std::int64_t bytes() const { return bytes_; }
  /// ssthresh.
  std::int64_t threshold() const { return threshold_; }
  bool in_slow_start() const { return bytes_ < threshold_; }

  /// `acknowledged` new bytes at `now`. The window grows only if it held the sender back
  /// (`limited`).
  void acknowledge(std::int64_t acknowledged, bool limited, std::uint32_t mss, Picos now,
                   Picos smoothed_rtt);
  /// Losses: only lowers the threshold, to a share of the window. As in Linux, also when less than
  /// the window was in use; RFC 9438 section 4.6 leaves the choice.
  void congestion(std::uint32_t mss);
  /// A retransmission timeout with `pipe` bytes still in the network: one more segment may be sent
  /// (RFC 5681 section 3.1). `first`: the threshold was not yet lowered for the outstanding data.
  void timeout(std::int64_t pipe, std::uint32_t mss, bool first);
  /// The sender was idle for `idle`. Linux halves the window once per timeout, down to the initial
  /// window, and raises the threshold to three quarters of the previous window (tcp_cwnd_restart,
  /// RFC 2861).
  void restart(Picos idle, Picos timeout, std::uint32_t mss);
  /// Sending resumes with nothing outstanding: CUBIC's clock did not run meanwhile.
  void resume() { cubic_.pause(); }
  void set(std::int64_t bytes);
  /// The handshake needed more than one retransmission (tcp_init_transfer): one segment.
  void start_small(std::uint32_t mss) { bytes_ = mss; }

 private:
  static constexpr std::uint32_t kInitialSegments = 10;

  /// The largest window that window scaling can offer (RFC 7323 section 2.3).
  static constexpr std::uint32_t kMax = std::uint32_t{1} << 30;

  std::uint32_t bytes_;
  std::uint32_t threshold_ = kMax;
  Cubic cubic_;
  NewReno new_reno_;
  CongestionControl algorithm_;
};

}  // namespace overlane::transport
