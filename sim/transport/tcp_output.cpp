#include <algorithm>

#include "sim/transport/tcp_connection.h"

namespace overlane::transport {

std::optional<Segment> TcpConnection::next(Picos now, bool data) {
  switch (phase_) {
    case Phase::Listen:
    case Phase::SynSent:
    case Phase::SynReceived:
      return next_syn(now);
    case Phase::Established:
      if (!data) break;
      if (auto segment = next_data(now)) return segment;
      break;
    case Phase::TimeWait:
      break;
    case Phase::Closed:
    case Phase::Failed:
      return std::nullopt;
  }
  if (window_probe_due_) {
    window_probe_due_ = false;
    return segment_at(sent_ - 1, 0, now);
  }
  if (!receiver_.must_acknowledge(now)) return std::nullopt;
  return segment_at(sent_, 0, now);
}

std::optional<Segment> TcpConnection::next_syn(Picos now) {
  if (!syn_due_) return std::nullopt;
  syn_due_ = false;
  Segment segment{.timestamp = now, .ip_header = config_->ip_header, .syn = true};
  segment.mss = static_cast<std::uint16_t>(config_->mtu - config_->ip_header - kTcpHeader);
  receiver_.acknowledge(segment);
  segment.ack = phase_ == Phase::SynReceived;
  in_host_ += segment.ip_bytes();
  return segment;
}

std::optional<Segment> TcpConnection::next_data(Picos now) {
  if (loss_probe_due_) return next_loss_probe(now);
  if (const Scoreboard::Sent* lost = scoreboard_.first_lost()) {
    if (held_back(lost->length, now)) return std::nullopt;
    const Scoreboard::Sent again = *lost;
    scoreboard_.retransmit_first_lost(now);
    if (again.begin == acknowledged_ || retransmit_at_ == kNever) arm(now);
    return retransmit(again, now);
  }
  const std::uint32_t length = new_data_length(now);
  if (length == 0 || held_back(length, now)) return std::nullopt;
  if (const std::uint32_t probe = mtu_probe_length(now)) {
    search_.probe_sent(probe + overhead(), sent_);
    return send_new(probe, now);
  }
  return send_new(length, now);
}

/// RFC 8985 section 7.3: sends new data regardless of the congestion window, or, if there is none,
/// repeats the last segment.
std::optional<Segment> TcpConnection::next_loss_probe(Picos now) {
  loss_probe_due_ = false;
  if (const std::uint32_t length = new_data_length(now)) {
    const Segment segment = send_new(length, now);
    loss_probe_repeats_ = false;
    loss_probe_end_ = sent_;
    early_at_ = kNever;
    return segment;
  }
  // A segment that still waits in the own host is not lost.
  const bool left = in_host_ == 0 && !scoreboard_.empty();
  const Scoreboard::Sent* last = left ? scoreboard_.repeat_last(now) : nullptr;
  if (last == nullptr) return next_data(now);
  loss_probe_repeats_ = true;
  loss_probe_end_ = sent_;
  return retransmit(*last, now);
}

Segment TcpConnection::retransmit(const Scoreboard::Sent& sent, Picos now) {
  ++retransmissions_;
  last_sent_ = now;
  if (recovery_ == Recovery::Fast) reduction_.sent(sent.length);
  return segment_at(sent.begin, sent.length, now);
}

Segment TcpConnection::send_new(std::uint32_t length, Picos now) {
  if (scoreboard_.empty()) {
    const Picos idle = now - last_sent_;
    if (config_->slow_start_after_idle && sent_ > 0 && idle > timeout_.timeout())
      window_.restart(idle, timeout_.timeout(), mss_);
    window_.resume();
    arm(now);
  }
  last_sent_ = now;
  const std::int64_t begin = sent_;
  scoreboard_.add(begin, length, now);
  sent_ += length;
  if (recovery_ == Recovery::Fast) reduction_.sent(length);
  note_usage(scoreboard_.pipe() + mss_ > window_.bytes());
  if (sent_ > written_) closed_second_ = receiver_.finished();
  arm_early(now);
  return segment_at(begin, length, now);
}

/// Whether the congestion window or the host's queue prevents a segment of `length` from being
/// sent.
bool TcpConnection::held_back(std::uint32_t length, Picos now) {
  if (scoreboard_.pipe() > 0 && scoreboard_.pipe() + length > window_.bytes()) {
    note_usage(true);
    stall_.note(Stall::CongestionWindow, now);
    return true;
  }
  if (in_host_ > 0 && in_host_ + length > kSmallQueue) {
    stall_.note(Stall::HostQueue, now);
    return true;
  }
  return false;
}

/// Records the maximum usage of the congestion window per round trip (tcp_cwnd_validate).
void TcpConnection::note_usage(bool limited) {
  const bool more = !window_limited_ && flight() > most_flight_;
  if (!limited && !more && acknowledged_ < usage_end_) return;
  window_limited_ = limited;
  most_flight_ = static_cast<std::uint32_t>(flight());
  usage_end_ = sent_;
}

/// Length of new data for one segment, limited by the application and the receive window.
std::uint32_t TcpConnection::new_data_length(Picos now) {
  const std::int64_t available = std::min<std::int64_t>(mss_, stream_end() - sent_);
  if (available == 0) {
    stall_.note(Stall::Application, now);
    return 0;
  }
  const std::int64_t open = window_edge_ - sent_;
  if (open >= available) return static_cast<std::uint32_t>(available);
  stall_.note(Stall::ReceiveWindow, now);
  // Send no partial segment: it would only shrink the next window (RFC 9293 §3.8.6.2.1).
  if (flight() > 0) return 0;
  if (open > 0) return static_cast<std::uint32_t>(open);
  if (retransmit_at_ == kNever) arm(now);
  return 0;
}

/// Payload of a probe for a larger path MTU if one is due, else 0. Enough data must be ready to
/// detect, by the segments behind it, that only the probe was lost (tcp_mtu_probe).
std::uint32_t TcpConnection::mtu_probe_length(Picos now) {
  constexpr int kFollowing = 4;   // tcp_reordering + 1 segments.
  constexpr int kMinWindow = 11;  // Segments.
  if (!search_.searching() || recovery_ != Recovery::None || scoreboard_.has_sacked()) return 0;
  if (window_.bytes() < kMinWindow * mss_) return 0;
  const std::uint32_t packet = search_.next_probe(*config_, overhead(), now);
  if (packet == 0) return 0;
  const std::uint32_t length = packet - overhead();
  const std::int64_t needed = std::int64_t{length} + kFollowing * mss_;
  if (written_ - sent_ < needed || window_edge_ - sent_ < needed) return 0;
  return scoreboard_.pipe() + length > window_.bytes() ? 0 : length;
}

Segment TcpConnection::segment_at(std::int64_t begin, std::uint32_t length, Picos now) {
  const bool fin = closing_ && length > 0 && begin + length > written_;
  Segment segment{.sequence = begin,
                  .timestamp = now,
                  .length = length - (fin ? 1 : 0),
                  .ip_header = config_->ip_header,
                  .fin = fin};
  receiver_.acknowledge(segment);
  // With very small MTUs, not all SACK blocks fit.
  while (!segment.sack.empty() && segment.ip_bytes() > config_->mtu)
    segment.sack.pop_back();
  in_host_ += segment.ip_bytes();
  return segment;
}

}  // namespace overlane::transport
