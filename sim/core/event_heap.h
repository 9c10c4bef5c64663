#pragma once

#include <vector>

#include "sim/core/event.h"

namespace overlane::core {

/// Pending events in a heap of four children per parent: half as deep as a binary one, and the
/// children fit one cache line.
class EventHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// The next event; not of an empty heap.
  const Event& top() const { return heap_.front(); }

  void push(const Event& event);
  /// Removes the next event and returns it; not of an empty heap.
  Event pop();

 private:
  std::vector<Event> heap_;
};

}  // namespace overlane::core
