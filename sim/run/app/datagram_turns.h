#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"
#include "sim/random/distribution.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/packet/packet.h"
#include "sim/transport/tcp_connection.h"

namespace overlane::run {

/// When the datagrams of a traffic group's flows leave (TrafficGroup::rate, arrivals, on, off).
class DatagramTimes {
 public:
  /// Of a udp group; that of another kind is good for nothing.
  explicit DatagramTimes(const TrafficGroup& group);

  /// Where a flow has got to.
  struct State {
    transport::PacedTime last;  ///< When the last datagram left.
    Picos silent_next;          ///< When it is silent again.
  };

  /// The first datagram leaves at `start`.
  State begin(Picos start, RandomStream& random) const;
  /// When the next one leaves: at times before the one before, if that was late.
  Picos next(State& state, RandomStream& random) const;

 private:
  transport::Pace pace_;
  Arrivals arrivals_;
  std::int64_t bit_picos_;  ///< Of a datagram's payload: over the rate, its share.
  std::int64_t rate_;
  std::optional<Distribution> on_;
  std::optional<Distribution> off_;
};

/// Applications of one machine that send as fast as they can and share a core: the scheduler lets
/// one run for a time slice before the next (sysctl_sched_base_slice, kernel/sched/fair.c), so that
/// their packets do not alternate.
class SendingTurns {
 public:
  explicit SendingTurns(std::uint32_t cores) : slice_(time_slice(cores)), cores_(cores) {}

  /// 0.7 ms for each doubling of the processors, up to eight (update_sysctl).
  static Picos time_slice(std::uint32_t cores) {
    return microseconds(700) * std::bit_width(std::clamp(cores, 1u, 8u));
  }

  /// Whether `id` may send at `now`. If not, it waits in the queue, and asks again at ends().
  bool take(std::uint32_t core, EndpointId id, Picos now) {
    Core& of = cores_[core];
    const bool is_over = of.until <= now;
    if (of.holder == id && (!is_over || of.queue.empty())) {
      if (is_over) of.until = now + slice_;
      return true;
    }
    // The first in the queue has ended if it does not ask within a slice.
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
  /// `id` waits for its peer. Who sends next, if anybody wants to; else kNone.
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
