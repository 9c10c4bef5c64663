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

  /// Whether anything happens before `end`.
  bool pending_before(Picos end) { return !queue_.empty() && queue_.top().time < end; }

  /// The next event; the clock moves to it.
  Event next() {
    const Event event = queue_.pop();
    now_ = event.time;
    ++events_;
    return event;
  }

 private:
  EventQueue queue_;
  Picos now_;
  std::int64_t events_ = 0;
};

}  // namespace overlane::core
