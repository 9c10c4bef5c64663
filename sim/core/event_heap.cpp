#include "sim/core/event_heap.h"

#include <algorithm>
#include <cassert>

namespace overlane::core {
namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

void EventHeap::push(const Event& event) {
  std::size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / kChildren;
    if (!before(event, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
}

Event EventHeap::pop() {
  assert(!heap_.empty());
  const Event first = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  if (size == 0) return first;
  std::size_t hole = 0;
  for (;;) {
    const std::size_t begin = hole * kChildren + 1;
    if (begin >= size) break;
    const std::size_t end = std::min(begin + kChildren, size);
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < end; ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (!before(heap_[least], last)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = last;
  return first;
}

}  // namespace overlane::core
