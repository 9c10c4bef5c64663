#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"
#include "sim/random/distribution.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

// When the datagrams of a UDP flow leave. DatagramTimes is the schedule of a flow: constant or
// random intervals, with silences. SendingTurns decides which of the applications that share a core
// may send now. Both belong to one partition.

/// Interval between the datagrams of a constant-rate stream: whole picoseconds, plus a remainder as
/// a fraction of the rate.
class Pace {
 public:
  /// `rate` > 0.
  constexpr Pace(Bytes payload, BitsPerSecond rate) : rate_(rate.count) {
    assert(rate.count > 0);
    const WideInteger bit_picos = WideInteger{payload.count} * 8 * 1'000'000'000'000;
    gap_ = {static_cast<std::int64_t>(bit_picos / rate_)};
    rest_ = static_cast<std::int64_t>(bit_picos % rate_);
  }

  /// Rounded down to whole picoseconds.
  constexpr Picos gap() const { return gap_; }

 private:
  friend class PacedTime;

  Picos gap_;
  std::int64_t rest_ = 0;
  std::int64_t rate_;
};

/// Departure time of a datagram of a constant-rate stream, relative to the first. Exact for each
/// datagram: rounding errors do not accumulate.
class PacedTime {
 public:
  constexpr Picos offset() const { return offset_; }
  /// Advances to the next datagram.
  constexpr void advance(const Pace& pace) {
    offset_ += pace.gap_;
    rest_ += pace.rest_;
    if (rest_ < pace.rate_) return;
    rest_ -= pace.rate_;
    ++offset_.count;
  }
  /// Advances by an interval other than the pace.
  constexpr void advance(Picos gap) { offset_ += gap; }

 private:
  Picos offset_;
  std::int64_t rest_ = 0;
};

/// Schedule of the datagrams of a traffic group's flows (TrafficGroup::rate, arrivals, on, off).
class DatagramTimes {
 public:
  /// Largest delay of a sender's timer. Without this jitter, senders of equal rates would keep
  /// their order at a full queue for the whole run: one would send everything and the other
  /// nothing.
  static constexpr Picos kMaxTimerJitter = microseconds(10);

  /// Valid for UDP groups only.
  explicit DatagramTimes(const TrafficGroup& group);

  /// Progress of one flow.
  struct State {
    PacedTime last;     ///< Time of the last datagram.
    Picos silent_next;  ///< Start of the next silence.
  };

  /// The first datagram leaves at `start`.
  State begin(Picos start, RandomStream& random) const;
  /// Time of the next datagram; it may be before the time of the last datagram if that was late.
  Picos next(State& state, RandomStream& random) const;

  /// The pace of a schedule with constant intervals.
  const Pace& pace() const { return pace_; }
  /// A datagram of a constant pace is late by less than this: the sender's timer.
  Picos max_lateness() const { return std::min(pace_.gap(), kMaxTimerJitter); }

 private:
  Pace pace_;
  Arrivals arrivals_;
  std::int64_t bit_picos_;  ///< Payload bits × picoseconds per second: rate × gap.
  std::int64_t rate_;
  std::optional<Distribution> on_;
  std::optional<Distribution> off_;
};

/// Turns of applications of one machine that send as fast as they can and share a core: the
/// scheduler runs each for a time slice before the next (sysctl_sched_base_slice,
/// kernel/sched/fair.c), so that their packets do not alternate.
class SendingTurns {
 public:
  explicit SendingTurns(std::uint32_t cores) : slice_(time_slice(cores)), cores_(cores) {}

  /// 0.7 ms for each doubling of the processors, up to eight (update_sysctl).
  static Picos time_slice(std::uint32_t cores) {
    return microseconds(700) * std::bit_width(std::clamp(cores, 1u, 8u));
  }

  /// Returns whether `id` may send at `now`. If not, it is queued and must ask again at ends().
  bool take(std::uint32_t core, EndpointId id, Picos now) {
    Core& of = cores_[core];
    const bool is_over = of.until <= now;
    if (of.holder == id && (!is_over || of.queue.empty())) {
      if (is_over) of.until = now + slice_;
      return true;
    }
    // The first in the queue loses its turn if it does not ask within a slice.
    const bool is_next = of.queue.empty() || of.queue.front() == id || of.until + slice_ <= now;
    if ((is_over || of.holder == kNone) && is_next) {
      std::erase(of.queue, id);
      of.holder = id;
      of.until = now + slice_;
      return true;
    }
    if (std::ranges::find(of.queue, id) == of.queue.end()) of.queue.push_back(id);
    return false;
  }
  Picos ends(std::uint32_t core, Picos now) const {
    const Picos until = cores_[core].until;
    return until > now ? until : now + slice_;
  }
  /// `id` waits for its peer. Returns the next sender of the queue, or kNone.
  EndpointId give_up(std::uint32_t core, EndpointId id, Picos now) {
    Core& of = cores_[core];
    if (of.holder != id) return kNone;
    of.holder = kNone;
    of.until = now;
    return of.queue.empty() ? kNone : of.queue.front();
  }

 private:
  struct Core {
    EndpointId holder = kNone;
    Picos until;
    std::deque<EndpointId> queue;
  };

  Picos slice_;
  std::vector<Core> cores_;
};

}  // namespace overlane::run
