#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "dataplane/net/units.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

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

  /// Whether `id` may send at `now`. If not, it stands in line, and asks again at ends().
  bool take(std::uint32_t core, EndId id, Picos now) {
    Core& of = cores_[core];
    const bool is_over = of.until <= now;
    if (of.holder == id && (!is_over || of.line.empty())) {
      if (is_over) of.until = now + slice_;
      return true;
    }
    // Who is first in line, and does not come for a slice, has ended.
    const bool is_next = of.line.empty() || of.line.front() == id || of.until + slice_ <= now;
    if ((is_over || of.holder == kNone) && is_next) {
      std::erase(of.line, id);
      of.holder = id;
      of.until = now + slice_;
      return true;
    }
    if (std::ranges::find(of.line, id) == of.line.end()) of.line.push_back(id);
    return false;
  }
  Picos ends(std::uint32_t core, Picos now) const {
    const Picos until = cores_[core].until;
    return until > now ? until : now + slice_;
  }
  /// `id` waits for its peer. Who sends next, if anybody wants to; else kNone.
  EndId give_up(std::uint32_t core, EndId id, Picos now) {
    Core& of = cores_[core];
    if (of.holder != id) return kNone;
    of.holder = kNone;
    of.until = now;
    return of.line.empty() ? kNone : of.line.front();
  }

 private:
  struct Core {
    EndId holder = kNone;
    Picos until;
    std::deque<EndId> line;
  };

  Picos slice_;
  std::vector<Core> cores_;
};

}  // namespace overlane::run
