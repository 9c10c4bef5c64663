#pragma once

#include <vector>

#include "sim/core/event.h"

namespace overlane::core {

/// Pending events, taken in the order of their keys. A heap of four children per parent: half as
/// deep as a binary one, and four events fit two cache lines.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }

  /// The next event; the queue must not be empty.
  const Event& top() const { return heap_.front(); }

  void push(const Event& event);
  /// Removes the next event and returns it; the queue must not be empty.
  Event pop();

 private:
  std::vector<Event> heap_;
};

}  // namespace overlane::core
