#include "sim/core/event_queue.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace overlane::core {

namespace {

constexpr std::size_t kChildren = 4;

/// Buckets become shorter when those that are not empty hold more events than this on average, plus
/// eight times the number of pending events per bucket. (With four times, many quick events beside
/// timers of a whole round made the buckets shorter and longer in turns.)
constexpr std::uint64_t kMaxCrowded = 3;
/// Buckets become longer when more than one of this many events is beyond the wheel's round.
constexpr std::uint32_t kMaxFar = 16;
/// Binary logarithms of a bucket's length in picoseconds: a nanosecond to a millisecond.
constexpr int kMinWidth = 10;
constexpr int kMaxWidth = 30;

/// An event that arrives for the current bucket passes at most this many others in now_.
constexpr int kMaxPassed = 32;

/// A bucket with more events than this is sorted in parts of its time.
constexpr std::size_t kFewToSort = 24;
constexpr int kPartBits = 5;
constexpr std::size_t kParts = 1 << kPartBits;
static_assert(kPartBits <= kMinWidth);

/// A lambda and not a function, so that std::sort inlines it.
constexpr auto after = [](const Event& a, const Event& b) { return before(b, a); };

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

EventQueue::EventQueue() {
  first_.fill(kNone);
}

Picos EventQueue::next_time() const {
  Picos first{INT64_MAX};
  if (!now_.empty()) first = now_.back().time;
  if (!late_.empty()) first = std::min(first, late_.top().time);
  if (!far_.empty()) first = std::min(first, far_.top().time);
  if (next_ == INT64_MAX) return first;
  for (std::uint32_t chunk = first_[static_cast<std::size_t>(next_) % kBuckets]; chunk != kNone;
       chunk = chunks_[chunk].next)
    for (std::uint32_t i = 0; i < chunks_[chunk].count; ++i)
      first = std::min(first, chunks_[chunk].events[i].time);
  return first;
}

void EventQueue::push_now(const Event& event) {
  auto place = now_.end();
  for (int passed = 0; place != now_.begin() && before(place[-1], event); ++passed) {
    if (passed == kMaxPassed) return late_.push(event);
    --place;
  }
  now_.insert(place, event);
}

void EventQueue::new_chunk() {
  free_ = static_cast<std::uint32_t>(chunks_.size());
  chunks_.emplace_back();
}

void EventQueue::push_far(const Event& event) {
  far_.push(event);
  ++far_pushed_;
  note_far();
}

void EventQueue::note_far() {
  far_due_ = far_.empty() ? INT64_MAX : (far_.top().time.count >> width_) - kBuckets + 1;
}

/// Goes to the next bucket that has an event, in the wheel or in far_.
void EventQueue::advance() {
  assert(size_ > 0);
  if (taken_ >= kLookEvery) adapt();
  std::int64_t bucket = next_;
  if (!far_.empty()) bucket = std::min(bucket, far_.top().time.count >> width_);
  turn_ = bucket;
  while (!far_.empty() && (far_.top().time.count >> width_) - turn_ < kBuckets) {
    const Event event = far_.pop();
    put(event, event.time.count >> width_);
  }
  note_far();
  open(bucket);
}

void EventQueue::open(std::int64_t bucket) {
  turn_ = bucket;
  next_ = empty_bucket(static_cast<std::size_t>(bucket) % kBuckets);
  sort();
  ++turns_;
  taken_ += static_cast<std::uint32_t>(now_.size());
}

/// Sorts now_; many events are first distributed to parts of the bucket's time.
void EventQueue::sort() {
  if (now_.size() <= kFewToSort) return std::sort(now_.begin(), now_.end(), after);
  std::array<std::uint32_t, kParts> end{};
  const auto part = [&](const Event& event) {
    // In reverse order: the next event is the last element.
    return ~(static_cast<std::uint64_t>(event.time.count) >> (width_ - kPartBits)) % kParts;
  };
  for (const Event& event : now_)
    ++end[part(event)];
  std::exclusive_scan(end.begin(), end.end(), end.begin(), 0u);
  parted_.resize(now_.size());
  for (const Event& event : now_)
    parted_[end[part(event)]++] = event;
  now_.swap(parted_);
  auto begin = now_.begin();
  for (const std::uint32_t past : end) {
    std::sort(begin, now_.begin() + past, after);
    begin = now_.begin() + past;
  }
}

std::int64_t EventQueue::empty_bucket(std::size_t slot) {
  for (std::uint32_t chunk = first_[slot]; chunk != kNone;) {
    Chunk& held = chunks_[chunk];
    now_.insert(now_.end(), held.events.begin(), held.events.begin() + held.count);
    const std::uint32_t next = std::exchange(held.next, free_);
    free_ = std::exchange(chunk, next);
  }
  return unmark(slot);
}

void EventQueue::adapt() {
  int width = width_;
  const std::uint64_t crowded = kMaxCrowded + 8 * size_ / kBuckets;
  for (std::uint64_t turns = turns_; taken_ > crowded * turns && width > kMinWidth; --width)
    turns *= 2;
  if (width == width_ && far_pushed_ * kMaxFar > taken_) width = std::min(width + 1, kMaxWidth);
  turns_ = 0;
  taken_ = 0;
  far_pushed_ = 0;
  if (width != width_) set_width(width);
}

/// Changes the length of buckets. Called between buckets only: now_ and late_ are empty.
void EventQueue::set_width(int width) {
  for (std::size_t slot = 0; slot < first_.size(); ++slot)
    if (first_[slot] != kNone) empty_bucket(slot);
  std::vector<Event> pending;
  pending.swap(now_);
  pending.reserve(pending.size() + far_.size());
  while (!far_.empty())
    pending.push_back(far_.pop());
  far_ = {};  // Frees its memory: at the start it may have held the timers of all flows.
  note_far();
  next_ = INT64_MAX;
  // All events of the bucket of turn_ are taken, so no pending event is before the next bucket.
  const std::int64_t next = (turn_ + 1) << width_;
  width_ = width;
  turn_ = (next >> width_) - 1;
  size_ -= pending.size();
  for (const Event& event : pending)
    push(event);
  far_pushed_ = 0;
}

}  // namespace overlane::core
