#pragma once

#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/transport/timer.h"

namespace overlane::transport {

/// The integer cube root, rounded down, of a number below 2^96.
std::uint32_t cube_root(WideInteger number);

/// Congestion avoidance of CUBIC (RFC 9438), in integers: windows in bytes, times inside in units
/// of 2^-20 s. C = 0.4 segments/s³ and β = 0.7 (section 4.1 and 4.6), fast convergence (4.7).
///
/// The clock of an epoch (t of section 4.2) runs from acknowledgement to acknowledgement and stands
/// still while the application, not the window, holds the sender back (section 5.8).
class Cubic {
 public:
  /// What a congestion event leaves of the window (section 4.6).
  static std::int64_t reduced(std::int64_t window) { return window * 7 / 10; }

  /// By how much `window` grows for `acknowledged` new bytes at `now`, with the smoothed `rtt`.
  std::int64_t growth(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss, Picos now,
                      Picos rtt);
  /// The window limited nothing since the last growth.
  void pause() { last_ = kNever; }
  /// Losses were seen when the window was `window`: the next growth begins an epoch.
  void congestion(std::int64_t window);
  /// The losses were seen by a timeout: the next epoch begins on its plateau (section 4.8).
  void timeout() { plateau_ = 0; }

  /// W_max, in bytes.
  std::int64_t plateau() const { return plateau_; }

 private:
  void begin_epoch(std::int64_t window, std::uint32_t mss);
  /// W_cubic(t) of section 4.2, figure 1.
  std::int64_t curve(Picos time, std::uint32_t mss) const;
  void grow_estimate(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss);

  Picos elapsed_;                    ///< t: how long the epoch has been running.
  Picos last_ = kNever;              ///< The growth before, unless the clock stands.
  std::uint32_t plateau_ = 0;        ///< W_max.
  std::uint32_t prior_ = 0;          ///< cwnd_prior: the window when the last congestion was seen.
  std::uint32_t estimate_ = 0;       ///< W_est: Reno's window; 0 while there is no epoch.
  std::uint32_t to_plateau_ = 0;     ///< K, in 2^-20 s.
  std::uint32_t window_rest_ = 0;    ///< Of the last division by the window.
  std::uint32_t estimate_rest_ = 0;  ///< The same, of W_est.
};

}  // namespace overlane::transport
