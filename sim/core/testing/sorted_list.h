#pragma once

#include <algorithm>
#include <list>

#include "sim/core/event_queue.h"

namespace overlane::core {

/// The simplest correct event queue, to compare EventQueue with: a sorted list.
class SortedList {
 public:
  bool empty() const { return events_.empty(); }
  bool holds(const Event& event) const { return std::ranges::count(events_, event) > 0; }
  void push(const Event& event) {
    const auto later = [&](const Event& other) { return event < other; };
    events_.insert(std::ranges::find_if(events_, later), event);
  }
  Event pop() {
    const Event first = events_.front();
    events_.pop_front();
    return first;
  }

 private:
  std::list<Event> events_;
};

}  // namespace overlane::core
