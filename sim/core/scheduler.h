#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/event_queue.h"

namespace overlane::core {

/// The clock of a run and what is going to happen. Completes the key of every event: its source is
/// the station of the event in progress (station 0 before the first), which also counts it.
class Scheduler {
 public:
  /// Stations are numbered below `stations`.
  explicit Scheduler(std::size_t stations) : sequences_(stations) {}

  Picos now() const { return now_; }
  std::int64_t events() const { return events_; }

  /// Makes something happen at `station`; `time` is not before now.
  void schedule(Picos time, StationId station, std::uint32_t kind, std::uint32_t subject) {
    queue_.push({{time, station, current_, sequences_[current_]++}, kind, subject});
  }

  /// Whether anything happens before `end`.
  bool pending_before(Picos end) const { return !queue_.empty() && queue_.top().key.time < end; }

  /// The next event; the clock moves to it.
  Event next() {
    const Event event = queue_.pop();
    now_ = event.key.time;
    current_ = event.key.station;
    ++events_;
    return event;
  }

 private:
  EventQueue queue_;
  std::vector<std::uint64_t> sequences_;
  Picos now_;
  StationId current_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace overlane::core
