#include "sim/transport/scoreboard.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace overlane::transport {

/// Appends a segment to the list of segments in the network, as the latest transmission.
void Scoreboard::link(std::uint32_t number) {
  Sent& sent = sent_[number];
  sent.previous = newest_;
  sent.next = kNone;
  (newest_ == kNone ? oldest_ : sent_[newest_].next) = number;
  newest_ = number;
  pipe_ += sent.length;
}

/// Removes a segment from the list of segments in the network.
void Scoreboard::unlink(Sent& sent) {
  (sent.previous == kNone ? oldest_ : sent_[sent.previous].next) = sent.next;
  (sent.next == kNone ? newest_ : sent_[sent.next].previous) = sent.previous;
  pipe_ -= sent.length;
}

void Scoreboard::transmit(std::uint32_t number, Picos now) {
  Sent& sent = sent_[number];
  sent.repeated = sent.order != 0;
  sent.state = State::InFlight;
  sent.sent_at = now;
  sent.order = ++transmissions_;
  link(number);
}

void Scoreboard::add(std::int64_t begin, std::uint32_t length, Picos now) {
  const auto bytes = static_cast<std::uint16_t>(length);
  transmit(sent_.push_back({.begin = begin, .length = bytes}), now);
}

void Scoreboard::lose(std::uint32_t number) {
  Sent& sent = sent_[number];
  unlink(sent);
  sent.state = State::Lost;
  const auto place = [this](std::uint32_t of) { return of - sent_.first(); };
  if (lost_ == 0 || place(number) < place(first_lost_)) first_lost_ = number;
  ++lost_;
}

/// Returns the bytes of this segment that were not yet known to have arrived.
std::int64_t Scoreboard::deliver(std::uint32_t number, Picos echo, Picos now) {
  Sent& sent = sent_[number];
  switch (sent.state) {
    case State::Sacked:
      return 0;
    case State::Lost:
      --lost_;
      break;
    case State::InFlight:
      unlink(sent);
      break;
  }
  sent.state = State::Sacked;
  sent.next = number + 1;
  ++sacked_;
  rack_.delivered({sent.sent_at, sent.order, sent.repeated}, sent.end(), echo, now);
  return sent.length;
}

Scoreboard::Delivery Scoreboard::acknowledge(std::int64_t next_expected, Picos echo, Picos now) {
  Delivery delivery;
  bool is_ambiguous = false;
  while (!sent_.empty() && sent_.front().end() <= next_expected) {
    const Sent& front = sent_.front();
    is_ambiguous |= front.repeated;
    if (front.state != State::Sacked) delivery.last_sent_at = front.sent_at;
    delivery.bytes += deliver(sent_.first(), echo, now);
    --sacked_;
    if (first_lost_ == sent_.first()) ++first_lost_;
    sent_.pop_front();
  }
  if (is_ambiguous) delivery.last_sent_at = kNever;
  if (sent_.empty() || sent_.front().begin >= next_expected) return delivery;
  // The acknowledgement covers a part of a segment that was split after its first transmission.
  Sent& front = sent_.front();
  const auto arrived = static_cast<std::uint16_t>(next_expected - front.begin);
  if (front.state == State::InFlight) pipe_ -= arrived;
  if (front.state != State::Sacked) delivery.bytes += arrived;
  front.begin += arrived;
  front.length = static_cast<std::uint16_t>(front.length - arrived);
  return delivery;
}

/// The first segment that begins at `begin` or later.
std::uint32_t Scoreboard::first_at(std::int64_t begin) const {
  std::uint32_t low = 0;
  std::uint32_t high = sent_.size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (sent_[sent_.first() + middle].begin < begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return sent_.first() + low;
}

std::uint32_t Scoreboard::skip_sacked(std::uint32_t number) {
  while (number != sent_.last() && sent_[number].state == State::Sacked) {
    Sent& sent = sent_[number];
    // Shortens the path of the next traversal by half.
    if (sent.next != sent_.last() && sent_[sent.next].state == State::Sacked)
      sent.next = sent_[sent.next].next;
    number = sent.next;
  }
  return number;
}

std::int64_t Scoreboard::sack(const SackBlock& block, Picos now) {
  std::int64_t news = 0;
  std::uint32_t number = skip_sacked(first_at(block.begin));
  while (number != sent_.last() && sent_[number].end() <= block.end) {
    news += deliver(number, kNever, now);
    number = skip_sacked(number);
  }
  return news;
}

bool Scoreboard::find_losses(bool in_recovery, Picos smoothed_rtt, Picos now) {
  const Picos window = rack_.window(in_recovery, sacked_, smoothed_rtt);
  bool found = false;
  reordering_ends_ = kNever;
  for (std::uint32_t number = oldest_; number != kNone;) {
    const Sent& sent = sent_[number];
    if (!rack_.after(sent.order)) break;
    const std::uint32_t next = sent.next;
    const Picos lost_at = rack_.lost_at(sent.sent_at, window);
    if (lost_at <= now) {
      lose(number);
      found = true;
    } else {
      reordering_ends_ = lost_at;  // The latest: all others are lost by then.
    }
    number = next;
  }
  return found;
}

void Scoreboard::time_out(bool in_recovery, Picos smoothed_rtt, Picos now) {
  const Picos window = rack_.window(in_recovery, sacked_, smoothed_rtt);
  for (std::uint32_t number = oldest_; number != kNone;) {
    const std::uint32_t next = sent_[number].next;
    const bool first = number == sent_.first();
    if (first || rack_.lost_at(sent_[number].sent_at, window) <= now) lose(number);
    number = next;
  }
  reordering_ends_ = kNever;
}

void Scoreboard::shrink(std::uint32_t largest) {
  RingBuffer<Sent> cut;
  std::vector<std::uint32_t> in_flight;
  lost_ = 0;
  const auto keep = [&](Sent fragment) {
    const std::uint32_t number = cut.push_back(fragment);
    if (fragment.state == State::InFlight) in_flight.push_back(number);
    if (fragment.state == State::Sacked) cut[number].next = number + 1;
    if (fragment.state == State::Lost && lost_++ == 0) first_lost_ = number;
  };
  for (std::uint32_t number = sent_.first(); number != sent_.last(); ++number) {
    Sent rest = sent_[number];
    const bool cuts = rest.length > largest && rest.state != State::Sacked;
    if (cuts) rest.state = State::Lost;
    while (cuts && rest.length > largest) {
      Sent fragment = rest;
      fragment.length = static_cast<std::uint16_t>(largest);
      keep(fragment);
      rest.begin += largest;
      rest.length = static_cast<std::uint16_t>(rest.length - largest);
    }
    keep(rest);
  }
  sent_ = std::move(cut);
  oldest_ = newest_ = kNone;
  pipe_ = 0;
  std::ranges::sort(in_flight, {}, [this](std::uint32_t number) {
    return transmissions_ - sent_[number].order;  // Distance, since numbers may wrap.
  });
  std::ranges::reverse(in_flight);
  for (const std::uint32_t number : in_flight)
    link(number);
}

const Scoreboard::Sent* Scoreboard::first_lost() {
  if (lost_ == 0) return nullptr;
  while (sent_[first_lost_].state != State::Lost)
    ++first_lost_;
  return &sent_[first_lost_];
}

void Scoreboard::retransmit_first_lost(Picos now) {
  [[maybe_unused]] const Sent* lost = first_lost();
  assert(lost != nullptr);
  --lost_;
  transmit(first_lost_, now);
}

const Scoreboard::Sent* Scoreboard::repeat_last(Picos now) {
  const std::uint32_t number = sent_.last() - 1;
  Sent& sent = sent_[number];
  if (sent.state != State::InFlight) return nullptr;
  unlink(sent);
  transmit(number, now);
  return &sent;
}

}  // namespace overlane::transport
