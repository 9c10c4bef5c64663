#pragma once

#include <cstdint>

#include "sim/core/event_queue.h"

namespace overlane::core {

/// The clock of a run and what is going to happen.
class Scheduler {
 public:
  Picos now() const { return now_; }
  std::int64_t events() const { return events_; }

  /// Makes something happen; `time` is not before now.
  void schedule(Picos time, std::uint64_t what) { queue_.push({time, what}); }

  /// The event that was taken last does not count as one.
  void uncount() { --events_; }
  /// When the next event is; INT64_MAX when nothing is going to happen.
  Picos next_time() const { return queue_.next_time(); }
  /// Moves the clock; nothing is pending before `time`.
  void move_to(Picos time) { now_ = time; }

  /// Takes the next event if there is one before `end`; the clock moves to it.
  bool next(Picos end, Event& event) {
    if (!queue_.pop_before(end, event)) return false;
    now_ = event.time;
    ++events_;
    return true;
  }
  /// EventQueue::at_hand(), glance()
  std::span<const Event> at_hand() const { return queue_.at_hand(); }
  const Event* glance() const { return queue_.glance(); }

 private:
  EventQueue queue_;
  Picos now_;
  std::int64_t events_ = 0;
};

}  // namespace overlane::core
