#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/event.h"
#include "sim/core/event_heap.h"

namespace overlane::core {

/// Pending events, taken in their order, in constant time: a timing wheel (Varghese and Lauck,
/// "Hashed and hierarchical timing wheels", 1987). A bucket holds the events of a short span of
/// time in any order and is sorted when its turn comes; what lies beyond the wheel's round waits in
/// a heap. How long a bucket is follows from how crowded they are (as in Brown's calendar queue,
/// 1988); no order depends on it.
class EventQueue {
 public:
  EventQueue();

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// The next event; the queue must not be empty.
  const Event& top() {
    if (sorted_.empty() && late_.empty()) advance();
    return sorted_first() ? sorted_.back() : late_.top();
  }
  void push(const Event& event) {
    ++size_;
    const std::int64_t bucket = bucket_of(event);
    if (bucket <= turn_) return late_.push(event);
    if (bucket - turn_ < kBuckets) return put(event, bucket);
    far_.push(event);
  }
  /// Removes the next event and returns it; the queue must not be empty.
  Event pop() {
    if (sorted_.empty() && late_.empty()) advance();
    --size_;
    if (!sorted_first()) return late_.pop();
    const Event event = sorted_.back();
    sorted_.pop_back();
    return event;
  }

 private:
  static constexpr std::int64_t kBuckets = 4096;
  static constexpr std::uint32_t kNone = ~0u;

  /// An event in a bucket, and the next one there.
  struct Entry {
    Event event;
    std::uint32_t next = kNone;
  };

  std::int64_t bucket_of(const Event& event) const { return event.time.count >> width_; }
  bool sorted_first() const {
    return late_.empty() || (!sorted_.empty() && before(sorted_.back(), late_.top()));
  }
  void put(const Event& event, std::int64_t bucket);
  void advance();
  void empty_bucket(std::size_t slot);
  std::int64_t next_occupied() const;
  void adapt();
  void set_width(int width);

  std::size_t size_ = 0;
  int width_ = 20;             ///< Binary logarithm of a bucket's length in picoseconds.
  std::int64_t turn_ = -1;     ///< The bucket that is being taken, counted from time 0.
  std::vector<Event> sorted_;  ///< Of that bucket, the next one at the end.
  EventHeap late_;             ///< Came for that bucket, or for an earlier one, during its turn.
  EventHeap far_;              ///< A round of the wheel or more after that bucket.

  std::array<std::uint32_t, kBuckets> first_;
  std::array<std::uint64_t, kBuckets / 64> occupied_{};
  std::vector<Entry> entries_;
  std::uint32_t free_ = kNone;

  std::uint64_t turns_ = 0;  ///< Buckets taken since the last look at how crowded they are …
  std::uint64_t taken_ = 0;  ///< … and what was in them.
};

}  // namespace overlane::core
