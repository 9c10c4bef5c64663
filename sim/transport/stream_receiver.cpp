#include "sim/transport/stream_receiver.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/transport/retransmission_timeout.h"

namespace overlane::transport {

void StreamReceiver::receive(const Segment& segment, Picos now, const TimerWheel& timers) {
  if (segment.is_pure_ack()) {
    acknowledge_now_ |= segment.sequence < next_;  // A window probe.
    return;
  }
  // RFC 7323 §4.3: echo the timestamp of the earliest segment that the next acknowledgement covers,
  // and of none that was overtaken.
  if (segment.sequence <= acknowledged_) echo_ = std::max(echo_, segment.timestamp);
  // Linux acknowledges at once after a silence: the sender may be in slow start again.
  if (now - last_arrival_ > kMinTimeout) quick_acks_ = kQuickAcks;
  last_arrival_ = now;

  if (segment.fin) fin_end_ = segment.end();
  if (segment.end() <= next_) {
    acknowledge_now_ = true;
    return;
  }
  if (segment.sequence > next_) {
    insert_beyond({segment.sequence, segment.end()});
    acknowledge_now_ = true;
    return;
  }
  acknowledge_now_ |= has_gap() || segment.fin;
  const std::int64_t before = received();
  next_ = segment.end();
  while (!beyond_.empty() && beyond_.front().begin <= next_) {
    next_ = std::max(next_, beyond_.front().end);
    beyond_.erase(beyond_.begin());
  }
  unread_ += static_cast<std::uint32_t>(received() - before);
  const bool quick = !interactive_ && quick_acks_ > 0;
  if (quick) --quick_acks_;
  unacknowledged_segments_ =
      static_cast<std::uint8_t>(std::min(unacknowledged_segments_ + segment.wire_segments, 2));
  if (quick || unacknowledged_segments_ == 2) acknowledge_now_ = true;
  if (deadline_ == kNever) deadline_ = timers.expiry(now, kDelayedAck);
}

void StreamReceiver::insert_beyond(SackBlock block) {
  const auto first = std::ranges::lower_bound(beyond_, block.begin, {}, &SackBlock::end);
  auto last = first;
  for (; last != beyond_.end() && last->begin <= block.end; ++last) {
    block.begin = std::min(block.begin, last->begin);
    block.end = std::max(block.end, last->end);
  }
  latest_beyond_ = block.begin;
  if (first == last) {
    beyond_.insert(first, block);
    return;
  }
  *first = block;
  beyond_.erase(first + 1, last);
}

void StreamReceiver::read(std::int64_t bytes) {
  assert(bytes >= 0 && bytes <= unread_);
  unread_ -= static_cast<std::uint32_t>(bytes);
  // Send a window update when the window opens by half the buffer (RFC 9293 §3.8.6.2.2).
  if (window() - (last_window_ - (next_ - acknowledged_)) >= buffer_ / 2) acknowledge_now_ = true;
}

/// The block that grew last comes first (RFC 2018 §4), then all others in order.
void StreamReceiver::report_blocks(Segment& segment) const {
  const auto latest = std::ranges::lower_bound(beyond_, latest_beyond_, {}, &SackBlock::begin);
  if (latest != beyond_.end()) segment.sack.push_back(*latest);
  for (auto at = beyond_.begin(); at != beyond_.end() && segment.sack.size() < kMaxSackBlocks; ++at)
    if (at != latest) segment.sack.push_back(*at);
}

void StreamReceiver::acknowledge(Segment& segment) {
  segment.ack = true;
  segment.acknowledges = next_;
  segment.window = window();
  segment.echo = echo_;
  acknowledged_ = next_;
  last_window_ = static_cast<std::uint32_t>(segment.window);
  if (has_gap()) {
    if (segment.length != 0) return;  // The SACK blocks are still to be sent.
    report_blocks(segment);
  }
  acknowledge_now_ = false;
  deadline_ = kNever;
  unacknowledged_segments_ = 0;
}

}  // namespace overlane::transport
