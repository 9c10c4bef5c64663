#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::core {

// The event queue of the discrete-event simulator. Scheduler is the clock of a partition of a run:
// it takes the next event and moves the clock to it. EventQueue is a timing wheel that returns
// events in order in constant time; EventHeap holds the few events that the wheel cannot. The order
// of events is a total order (Event), so that results do not depend on the number of threads. Each
// partition has its own Scheduler; an object belongs to one thread at a time.

/// A future event. The meaning of `what` is up to the user of the queue: the run encodes kind and
/// place.
///
/// Events are ordered by time, then by `what`. The order does not depend on when an event was
/// inserted, so it is the same for any number of threads. Packets that wait at one place of a run
/// have a queue of their own with one event for the first packet, so no two pending events are
/// equal. The order is part of the result contract.
struct Event {
  Picos time;
  std::uint64_t what = 0;

  auto operator<=>(const Event&) const = default;
};
static_assert(sizeof(Event) == 16);

/// a < b, written out: twice as fast as the code that compilers generate for <=>.
inline bool before(const Event& a, const Event& b) {
  return a.time.count < b.time.count || (a.time.count == b.time.count && a.what < b.what);
}

/// Pending events in a heap of four children per parent: half as deep as a binary one, and the
/// children fit one cache line.
class EventHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// The next event. The heap must not be empty.
  const Event& top() const { return heap_.front(); }

  void push(const Event& event);
  /// Removes the next event and returns it. The heap must not be empty.
  Event pop();

 private:
  std::vector<Event> heap_;
};

/// Pending events, taken in order in constant time: a timing wheel (Varghese and Lauck, "Hashed and
/// hierarchical timing wheels", 1987). A bucket holds the events of a short span of time, mostly
/// one or none, and is sorted when its turn comes. Events beyond the wheel's round wait in a heap.
/// The length of buckets adapts to the number of events in them (as in Brown's calendar queue,
/// 1988); the order of events does not depend on it.
class EventQueue {
 public:
  EventQueue();

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    const std::int64_t ahead = (event.time.count >> width_) - turn_;
    if (ahead <= 0) return push_now(event);
    if (ahead < kBuckets) return put(event, turn_ + ahead);
    push_far(event);
  }
  /// Takes the next event if there is one before `end`.
  bool pop_before(Picos end, Event& event) {
    if (now_.empty() && late_.empty()) {
      if (next_ >= far_due_ || taken_ >= kLookEvery) {
        if (size_ == 0) return false;
        advance();
      } else {
        const std::size_t slot = static_cast<std::size_t>(next_) % kBuckets;
        Chunk& held = chunks_[first_[slot]];
        if (held.count == 1 && held.next == kNone) {  // Alone, as most are.
          if (held.events[0].time >= end) return false;
          event = held.events[0];
          turn_ = next_;
          held.next = std::exchange(free_, first_[slot]);
          next_ = unmark(slot);
          ++turns_;
          ++taken_;
          --size_;
          return true;
        }
        open(next_);
      }
    }
    const bool late = now_.empty() || (!late_.empty() && before(late_.top(), now_.back()));
    const Event& next = late ? late_.top() : now_.back();
    if (next.time >= end) return false;
    event = next;
    --size_;
    if (late)
      late_.pop();
    else
      now_.pop_back();
    return true;
  }
  /// Time of the next event; INT64_MAX if there is none.
  Picos next_time() const;
  /// The next events that are sorted already, in reverse order: the next event is the last element.
  /// Events that are pushed later may come between them. For prefetching.
  std::span<const Event> at_hand() const { return now_; }
  /// Probably the next event, for prefetching; null if it is not known.
  const Event* glance() const {
    if (!now_.empty()) return &now_.back();
    if (next_ == INT64_MAX) return nullptr;
    return chunks_[first_[static_cast<std::size_t>(next_) % kBuckets]].events.data();
  }

 private:
  static constexpr std::int64_t kBuckets = 4096;
  static constexpr std::uint32_t kNone = ~0u;
  /// The number of events per bucket is checked after this many events.
  static constexpr std::uint32_t kLookEvery = 16'384;

  /// Events of a bucket, and the next of its chunks: a cache line.
  static constexpr std::uint32_t kChunk = 3;
  struct alignas(64) Chunk {
    std::array<Event, kChunk> events;
    std::uint32_t count = 0;
    std::uint32_t next = kNone;
  };

  void push_now(const Event& event);
  void put(const Event& event, std::int64_t bucket) {
    next_ = std::min(next_, bucket);
    const std::size_t slot = static_cast<std::size_t>(bucket) % kBuckets;
    const std::uint32_t first = first_[slot];
    if (first != kNone && chunks_[first].count < kChunk) {
      Chunk& open = chunks_[first];
      open.events[open.count++] = event;
      return;
    }
    if (free_ == kNone) new_chunk();
    first_[slot] = free_;
    Chunk& fresh = chunks_[free_];
    free_ = fresh.next;
    fresh.events[0] = event;
    fresh.count = 1;
    fresh.next = first;
    words_[slot / 64] |= std::uint64_t{1} << slot % 64;
    summary_ |= std::uint64_t{1} << slot / 64;
  }
  void new_chunk();
  void push_far(const Event& event);
  void note_far();

  /// The first bucket after turn_ that has an event; INT64_MAX if there is none.
  std::int64_t next_in_wheel() const {
    const std::size_t begin = static_cast<std::size_t>(turn_ + 1) % kBuckets;
    std::size_t word = begin / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << begin % 64);
    if (bits == 0) {
      if (summary_ == 0) return INT64_MAX;
      // Searches from the next word on, around the wheel; this word again at last.
      const auto shift = static_cast<int>((word + 1) % 64);
      word = (word + 1 + static_cast<unsigned>(std::countr_zero(std::rotr(summary_, shift)))) % 64;
      bits = words_[word];
    }
    const std::size_t slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
    return turn_ + 1 + static_cast<std::int64_t>((slot - begin) % kBuckets);
  }
  void advance();
  void open(std::int64_t bucket);
  void sort();
  /// Moves the events of a bucket that is not empty into now_. Returns what unmark() returns.
  std::int64_t empty_bucket(std::size_t slot);
  /// Marks a bucket as empty. Returns next_in_wheel() if it is the bucket of turn_.
  std::int64_t unmark(std::size_t slot) {
    first_[slot] = kNone;
    std::uint64_t& word = words_[slot / 64];
    word &= ~(std::uint64_t{1} << slot % 64);
    const std::uint64_t later = word >> slot % 64;
    if (later != 0) return turn_ + std::countr_zero(later);
    if (word == 0) summary_ &= ~(std::uint64_t{1} << slot / 64);
    return next_in_wheel();
  }
  void adapt();
  void set_width(int width);

  std::size_t size_ = 0;
  int width_ = 17;                 ///< Binary logarithm of a bucket's length in picoseconds.
  std::int64_t turn_ = -1;         ///< The bucket whose events are taken, counted from time 0.
  std::int64_t next_ = INT64_MAX;  ///< next_in_wheel()
  /// Events of that bucket and later arrivals for it or an earlier one, in reverse order: the next
  /// event is the last element.
  std::vector<Event> now_;
  std::vector<Event> parted_;  ///< Buffer of sort().
  EventHeap late_;             ///< Arrivals that would have to pass too many events of now_.
  EventHeap far_;              ///< Events at least a round of the wheel after that bucket.
  /// The bucket at whose turn the first event of far_ belongs into the wheel.
  std::int64_t far_due_ = INT64_MAX;

  std::array<std::uint32_t, kBuckets> first_;  ///< By bucket: its first chunk, or kNone.
  /// A bit per bucket that is not empty, and in summary_ a bit per word that is not 0.
  std::array<std::uint64_t, kBuckets / 64> words_{};
  std::uint64_t summary_ = 0;
  static_assert(kBuckets == 64 * 64);
  std::vector<Chunk> chunks_;
  std::uint32_t free_ = kNone;

  // Counted since the last adapt().
  std::uint32_t turns_ = 0;
  std::uint32_t taken_ = 0;
  std::uint32_t far_pushed_ = 0;
};

/// The clock of a partition of a run, and its pending events.
class Scheduler {
 public:
  Picos now() const { return now_; }
  std::int64_t events() const { return events_; }

  /// Adds an event; `time` must not be before now().
  void schedule(Picos time, std::uint64_t what) { queue_.push({time, what}); }

  /// Removes the last event from events(): it turned out to have no effect.
  void uncount() { --events_; }
  /// Time of the next event; INT64_MAX if there is none.
  Picos next_time() const { return queue_.next_time(); }
  /// Moves the clock forward. No event may be pending before `time`.
  void move_to(Picos time) {
    assert(time >= now_ && time <= next_time());
    now_ = time;
  }

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
