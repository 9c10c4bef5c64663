#include "sim/core/event_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace overlane::core {
namespace {

/// Buckets get another length when they hold more or less than this on average, which is looked at
/// after so many events or buckets. From a nanosecond to a millisecond.
constexpr std::uint64_t kMostCrowded = 16;
constexpr std::uint64_t kLeastCrowded = 2;
constexpr std::uint64_t kLookEvery = 4096;
constexpr int kLeastWidth = 10;
constexpr int kMostWidth = 30;

bool after(const Event& a, const Event& b) {
  return before(b, a);
}

}  // namespace

EventQueue::EventQueue() {
  first_.fill(kNone);
}

void EventQueue::put(const Event& event, std::int64_t bucket) {
  const auto slot = static_cast<std::size_t>(bucket % kBuckets);
  std::uint32_t entry = free_;
  if (entry == kNone) {
    entry = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[entry].next;
  }
  entries_[entry] = {event, first_[slot]};
  first_[slot] = entry;
  occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
}

/// Goes to the next bucket that has an event.
void EventQueue::advance() {
  assert(size_ > 0);
  if (turns_ >= kLookEvery || taken_ >= kLookEvery * kMostCrowded) adapt();
  turn_ = next_occupied();
  while (!far_.empty() && bucket_of(far_.top()) - turn_ < kBuckets) {
    const Event event = far_.pop();
    const std::int64_t bucket = bucket_of(event);
    if (bucket == turn_)
      sorted_.push_back(event);
    else
      put(event, bucket);
  }
  empty_bucket(static_cast<std::size_t>(turn_ % kBuckets));
  std::ranges::sort(sorted_, after);
  ++turns_;
  taken_ += sorted_.size();
}

void EventQueue::empty_bucket(std::size_t slot) {
  std::uint32_t entry = first_[slot];
  if (entry == kNone) return;
  for (;;) {
    Entry& held = entries_[entry];
    sorted_.push_back(held.event);
    if (held.next == kNone) {
      held.next = free_;
      break;
    }
    entry = held.next;
  }
  free_ = first_[slot];
  first_[slot] = kNone;
  occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
}

/// The first bucket behind the one at hand that has an event, in the wheel or beyond.
std::int64_t EventQueue::next_occupied() const {
  const std::int64_t far = far_.empty() ? INT64_MAX : bucket_of(far_.top());
  const auto begin = static_cast<std::size_t>((turn_ + 1) % kBuckets);
  const std::size_t words = occupied_.size();
  std::size_t word = begin / 64;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << begin % 64);
  for (std::size_t looked = 0; looked <= words; ++looked) {
    if (bits != 0) {
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const auto ahead = static_cast<std::int64_t>((slot + kBuckets - begin) % kBuckets);
      return std::min(far, turn_ + 1 + ahead);
    }
    word = (word + 1) % words;
    bits = occupied_[word];
  }
  return far;
}

void EventQueue::adapt() {
  int width = width_;
  for (; taken_ > kMostCrowded * turns_ && width > kLeastWidth; --width)
    turns_ *= 2;
  if (taken_ < kLeastCrowded * turns_ && width < kMostWidth) ++width;
  turns_ = 0;
  taken_ = 0;
  if (width != width_) set_width(width);
}

/// Called between buckets only: none is half taken.
void EventQueue::set_width(int width) {
  std::vector<Event> pending;
  pending.reserve(size_);
  for (std::size_t slot = 0; slot < first_.size(); ++slot)
    empty_bucket(slot);
  pending.swap(sorted_);
  while (!far_.empty())
    pending.push_back(far_.pop());
  // The bucket at hand has been taken to its end, so that nothing pending is before the next one.
  const std::int64_t now = (turn_ + 1) << width_;
  width_ = width;
  turn_ = (now >> width_) - 1;
  size_ -= pending.size();
  for (const Event& event : pending)
    push(event);
}

}  // namespace overlane::core
