#pragma once

#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/transport/timer.h"

namespace overlane::transport {

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
  std::uint32_t estimate_rest_ = 0;  ///< The same for W_est.
};

}  // namespace overlane::transport
