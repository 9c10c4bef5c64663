#include "sim/transport/stream_receiver.h"

#include <algorithm>

#include "sim/transport/retransmission_timeout.h"

namespace overlane::transport {

void StreamReceiver::receive(const Segment& segment, Picos now) {
  // RFC 7323 §4.3: echo the earliest segment that the next acknowledgement covers.
  if (segment.sequence <= last_acknowledged_) echo_ = segment.timestamp;
  // Linux leaves delayed acknowledgements after a silence: the sender may be in slow start again.
  if (now - last_arrival_ > kLeastTimeout) quick_acks_ = kQuickAcks;
  last_arrival_ = now;

  const std::int64_t end = segment.sequence + segment.length;
  if (segment.sequence > next_) {
    insert_beyond(segment);
    acknowledge_now_ = true;
    return;
  }
  if (end <= next_) {
    acknowledge_now_ = true;
    return;
  }
  next_ = end;
  acknowledge_now_ |= has_gap();
  while (!beyond_.empty() && beyond_.begin()->first <= next_) {
    next_ = std::max(next_, beyond_.begin()->second);
    beyond_.erase(beyond_.begin());
  }
  ++unacknowledged_segments_;
  const bool quick = !interactive_ && quick_acks_-- > 0;
  if (quick || unacknowledged_segments_ >= 2) acknowledge_now_ = true;
  if (!deadline_) deadline_ = now + kDelayedAck;
}

void StreamReceiver::insert_beyond(const Segment& segment) {
  std::int64_t begin = segment.sequence;
  std::int64_t end = begin + segment.length;
  auto at = beyond_.upper_bound(begin);
  if (at != beyond_.begin() && std::prev(at)->second >= begin) --at;
  while (at != beyond_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = beyond_.erase(at);
  }
  beyond_.emplace(begin, end);
  latest_beyond_ = begin;
}

void StreamReceiver::read(std::int64_t bytes) {
  read_ += bytes;
  // A window update, once the window opens by half the buffer (RFC 9293 §3.8.6.2.2).
  if (window() - (last_window_ - (next_ - last_acknowledged_)) >= buffer_ / 2)
    acknowledge_now_ = true;
}

void StreamReceiver::acknowledge(Segment& segment) {
  segment.ack = true;
  segment.acknowledges = next_;
  segment.window = window();
  segment.echo = echo_;
  last_acknowledged_ = next_;
  last_window_ = segment.window;
  if (segment.length == 0 && has_gap()) {
    const auto report = [&](auto block) {
      segment.sack[segment.sack_count++] = {block->first, block->second};
    };
    const auto latest = beyond_.find(latest_beyond_);
    if (latest != beyond_.end()) report(latest);
    for (auto at = beyond_.begin(); at != beyond_.end(); ++at)
      if (at != latest && segment.sack_count < kMostSackBlocks) report(at);
  }
  if (segment.length != 0 && has_gap()) return;  // The blocks still have to go.
  acknowledge_now_ = false;
  deadline_.reset();
  unacknowledged_segments_ = 0;
}

}  // namespace overlane::transport
