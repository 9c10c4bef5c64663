#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

// The congestion window of a TCP sender: how many bytes may be in the network. CongestionWindow is
// the window with its threshold; HyStart ends CUBIC's slow start; Cubic and NewReno decide how the
// window grows afterwards (Linux: tcp_cubic.c, tcp_reno_cong_avoid); RateReduction decides how it
// shrinks during a recovery (tcp_cwnd_reduction). Everything is computed in integers, so that a run
// gives the same result on every machine. Parts of one TcpConnection.

/// The integer cube root, rounded down, of a number below 2^96.
std::uint32_t cube_root(WideInteger number);

/// CUBIC's congestion avoidance (RFC 9438) in integers: windows in bytes, internal times in units
/// of 2^-20 s. C = 0.4 segments/s³ and β = 0.7 (sections 4.1 and 4.6), fast convergence (4.7).
///
/// The clock of an epoch (t of section 4.2) advances from one acknowledgement to the next, and
/// stops while the application, not the window, limits the sender (section 5.8).
class Cubic {
 public:
  /// The window after a congestion event (section 4.6).
  static std::int64_t reduced(std::int64_t window) { return window * 7 / 10; }

  /// Growth of `window` for `acknowledged` new bytes at `now`; `rtt` is the smoothed round-trip
  /// time.
  std::int64_t growth(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss, Picos now,
                      Picos rtt);
  /// The window has not limited the sender since the last growth: stops the clock.
  void pause() { last_ = kNever; }
  /// Losses were detected with a window of `window`: the next growth begins an epoch.
  void congestion(std::int64_t window);
  /// The losses were detected by a timeout: the next epoch begins at its plateau (section 4.8).
  void timeout() { plateau_ = 0; }

  /// W_max, in bytes.
  std::int64_t plateau() const { return plateau_; }

 private:
  void begin_epoch(std::int64_t window, std::uint32_t mss);
  /// W_cubic(t) of section 4.2, figure 1.
  std::int64_t curve(Picos time, std::uint32_t mss) const;
  void grow_estimate(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss);

  Picos elapsed_;                  ///< t: time since the epoch began.
  Picos last_ = kNever;            ///< Time of the last growth; kNever while the clock is stopped.
  std::uint32_t plateau_ = 0;      ///< W_max.
  std::uint32_t prior_ = 0;        ///< cwnd_prior: the window at the last congestion.
  std::uint32_t estimate_ = 0;     ///< W_est: Reno's window; 0 while there is no epoch.
  std::uint32_t to_plateau_ = 0;   ///< K, in 2^-20 s.
  std::uint32_t window_rest_ = 0;  ///< Remainder of the last division by the window.
  std::uint32_t estimate_rest_ = 0;  ///< Remainder of the last division for W_est.
};

/// An acknowledgement of new data, for the congestion window.
struct Acknowledgement {
  std::int64_t bytes = 0;          ///< Newly acknowledged; more than 0.
  std::int64_t next_expected = 0;  ///< snd_una
  std::int64_t sent = 0;           ///< snd_nxt
  Picos rtt = kNever;              ///< RTT of the last acknowledged segment; kNever: it was resent.
  Picos smoothed_rtt;
  std::uint32_t mss = 0;
  bool limited = false;  ///< The window held the sender back.
};

/// HyStart as in Linux's CUBIC (hystart_update in tcp_cubic.c; "Taming the elephants", Ha and Rhee
/// 2011): ends slow start before it overflows the queue of the bottleneck, if the acknowledgements
/// of one round arrive back to back for half the minimum round-trip time (the window fills the
/// path), or if the round-trip times of a round exceed the minimum by an eighth, but at least 4 ms
/// and at most 16 ms (a queue builds up). Not HyStart++ (RFC 9406), which Linux lacks.
///
/// Times are microseconds modulo 2^32 and sequence numbers are modulo 2^32, as in Linux.
class HyStart {
 public:
  /// Whether slow start with a window of `window` bytes ends with this acknowledgement.
  bool ends_slow_start(const Acknowledgement& acknowledgement, std::int64_t window, Picos now);
  /// A retransmission timeout: the next slow start is watched again, from `sent` on.
  void restart(std::int64_t sent, Picos now);

 private:
  void begin_round(std::int64_t sent, Picos now);

  static constexpr std::uint32_t kNoRtt = 0xffff'ffff;

  std::uint32_t min_rtt_ = kNoRtt;        ///< delay_min
  std::uint32_t round_min_rtt_ = kNoRtt;  ///< curr_rtt
  std::uint32_t round_began_ = 0;         ///< round_start
  std::uint32_t last_in_train_ = 0;       ///< last_ack
  std::uint32_t round_end_ = 0;           ///< end_seq: an acknowledgement beyond it begins a round.
  std::uint8_t samples_ = 0;              ///< sample_cnt
  bool found_ = false;
};

/// NewReno's congestion avoidance (RFC 5681 section 3.1, with byte counting of RFC 3465): one more
/// segment per acknowledged window.
class NewReno {
 public:
  /// The window after a congestion event.
  static std::int64_t reduced(std::int64_t window) { return window / 2; }

  /// Growth of `window` for `acknowledged` new bytes.
  std::int64_t growth(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss) {
    acknowledged_ += static_cast<std::uint32_t>(acknowledged);
    if (acknowledged_ < window) return 0;
    acknowledged_ -= static_cast<std::uint32_t>(window);
    return mss;
  }
  void congestion() { acknowledged_ = 0; }

 private:
  std::uint32_t acknowledged_ = 0;  ///< Since the last growth.
};

/// A sender's congestion window in bytes: ten segments initially (RFC 6928), slow start (RFC 5681),
/// ended by HyStart or losses, then the growth of the configured algorithm. Not modelled: ECN, and
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

  /// The window grows only if it held the sender back.
  void acknowledge(const Acknowledgement& acknowledgement, Picos now);
  /// Losses: only lowers the threshold, to a share of the window. As in Linux, also when less than
  /// the window was in use; RFC 9438 section 4.6 leaves the choice.
  void congestion(std::uint32_t mss);
  /// A retransmission timeout with `pipe` bytes still in the network: one more segment may be sent
  /// (RFC 5681 section 3.1). `sent`: snd_nxt. `first`: the threshold was not yet lowered for the
  /// outstanding data.
  void timeout(std::int64_t pipe, std::int64_t sent, std::uint32_t mss, bool first, Picos now);
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
  HyStart hystart_;  ///< Used by CUBIC.
  Cubic cubic_;
  NewReno new_reno_;
  CongestionControl algorithm_;
};

/// Proportional rate reduction (RFC 6937): spreads a reduction of the window over one round trip,
/// in proportion to the delivered data.
class RateReduction {
 public:
  /// A recovery begins with `flight` (> 0) bytes outstanding.
  void begin(std::int64_t flight) {
    assert(flight > 0);
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
