#pragma once

#include <cstdint>

#include "sim/transport/cubic.h"
#include "sim/transport/new_reno.h"
#include "sim/transport/tcp_config.h"

namespace overlane::transport {

/// A sender's congestion window in bytes: ten segments at first (RFC 6928), slow start (RFC 5681;
/// HyStart++, RFC 9406, is not modelled), then the growth of the algorithm chosen. Not modelled:
/// ECN, and taking back a reduction that was needless (RFC 4015, RFC 9438 section 4.9).
///
/// What acknowledgements show to be lost reduces the window once per recovery; how fast it gets
/// there is RateReduction's business, which therefore may set it.
class CongestionWindow {
 public:
  CongestionWindow(CongestionControl algorithm, std::uint32_t mss)
      : bytes_(kInitialSegments * mss), algorithm_(algorithm) {}

  std::int64_t bytes() const { return bytes_; }
  /// ssthresh.
  std::int64_t threshold() const { return threshold_; }
  bool in_slow_start() const { return bytes_ < threshold_; }

  /// `acknowledged` new bytes at `now`; `limited` when the window was what held the sender back,
  /// without which it does not grow.
  void acknowledge(std::int64_t acknowledged, bool limited, std::uint32_t mss, Picos now,
                   Picos smoothed_rtt);
  /// Losses: lowers the threshold to a share of the window (as Linux does, also if less was in use;
  /// RFC 9438 section 4.6 leaves the choice), and nothing else.
  void congestion(std::uint32_t mss);
  /// A retransmission timeout with `pipe` bytes still in the network; `first` when the threshold
  /// was not lowered already for what is outstanding. One segment may be sent (RFC 5681
  /// section 3.1).
  void timeout(std::int64_t pipe, std::uint32_t mss, bool first);
  /// Nothing has been sent for `idle`. Linux halves the window once per timeout, down to the
  /// initial one, and remembers three quarters of it (tcp_cwnd_restart, RFC 2861).
  void restart(Picos idle, Picos timeout, std::uint32_t mss);
  /// Sending goes on after nothing was outstanding: CUBIC's clock did not run.
  void resume() { cubic_.pause(); }
  void set(std::int64_t bytes);
  /// The handshake needed more than one repetition (tcp_init_transfer): one segment.
  void start_small(std::uint32_t mss) { bytes_ = mss; }

 private:
  static constexpr std::uint32_t kInitialSegments = 10;

  /// The largest window that window scaling can offer (RFC 7323 section 2.3).
  static constexpr std::uint32_t kMost = std::uint32_t{1} << 30;

  std::uint32_t bytes_;
  std::uint32_t threshold_ = kMost;
  Cubic cubic_;
  NewReno new_reno_;
  CongestionControl algorithm_;
};

}  // namespace overlane::transport
