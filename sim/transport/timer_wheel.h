#pragma once

#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// Period of the timer interrupt with CONFIG_HZ=250, as in the kernels of Debian, Ubuntu up
/// to 24.04 and Garden Linux.
inline constexpr Picos kTick = milliseconds(4);

/// When a kernel's coarse timers fire. Linux counts time in ticks (jiffies). A timer is set to the
/// current tick plus its delay, rounded up to ticks (usecs_to_jiffies), and fires with the tick
/// behind that, so that it never fires early: a delay of 2 ms ends after 4 to 8 ms. The timer wheel
/// (calc_wheel_index in kernel/time/timer.c) rounds long delays up further: from 63 ticks on, to a
/// multiple of 8, and each level of the wheel has eight times the range and step of the previous
/// one. All timers of TCP are of this kind.
///
/// Hosts boot at different times, so that their ticks, and the multiples of ticks at which long
/// timers fire, differ by a phase. A tick of zero makes timers exact.
struct TimerWheel {
  Picos tick;   ///< 0 or more.
  Picos phase;  ///< Time at which tick 0 ends: 0 to kPhaseTicks ticks.

  /// All phases of a wheel: the step of the longest timers of TCP, which is that of the level
  /// behind 120 s.
  static constexpr std::int64_t kPhaseTicks = 512;

  /// The time at which a timer fires that is set at `now` (>= 0) to `delay` (>= 0).
  Picos expiry(Picos now, Picos delay) const {
    if (tick.count == 0) return now + delay;
    const std::int64_t current = tick_at(now);
    const std::int64_t wait = rounded_ticks(delay);
    const int shift = shift_of(wait);
    const std::int64_t fires = (((current + wait) >> shift) + 1) << shift;
    return phase + tick * (fires - 1);
  }

  /// How long a timer that is set to `delay` (>= 0) takes at most, over all times and phases.
  Picos longest(Picos delay) const {
    if (tick.count == 0) return delay;
    const std::int64_t wait = rounded_ticks(delay);
    return tick * (wait + (std::int64_t{1} << shift_of(wait)));
  }

  /// `delay` as the kernel stores it: rounded up to ticks.
  Picos rounded(Picos delay) const { return tick.count == 0 ? delay : tick * rounded_ticks(delay); }

 private:
  static constexpr std::int64_t kSlots = 64;  ///< LVL_SIZE: slots of a level.
  static constexpr int kLevelShift = 3;  ///< LVL_CLK_SHIFT: a level's step is 8 of the previous.
  static constexpr int kMaxShift = 8 * kLevelShift;  ///< LVL_DEPTH is 9 with HZ > 100.

  /// The binary logarithm of the step, in ticks, of the level for a wait of so many ticks.
  static int shift_of(std::int64_t wait) {
    // The wheel has processed the current tick, so it counts from the next.
    std::int64_t range = kSlots - 1;
    int shift = 0;
    for (; wait - 1 >= range && shift < kMaxShift; range <<= kLevelShift)
      shift += kLevelShift;
    return shift;
  }
  /// The number of the tick that `time` is in; below 0 long before the end of tick 0.
  std::int64_t tick_at(Picos time) const {
    const std::int64_t since = (time - phase).count;
    return since < 0 ? -((-since - 1) / tick.count) : since / tick.count + 1;
  }
  std::int64_t rounded_ticks(Picos delay) const {
    return (delay.count + tick.count - 1) / tick.count;
  }
};

}  // namespace overlane::transport
