#include "sim/transport/tcp_connection.h"

#include <algorithm>

namespace overlane::transport {

TcpConnection::TcpConnection(const Config& config)
    : config_(config),
      mss_(config.mtu - config.ip_header - kTcpOverhead),
      window_(config.congestion_control, mss_),
      receiver_(config.receive_buffer, config.interactive),
      stalled_since_(config.measured_from) {}

void TcpConnection::open(Picos now) {
  phase_ = Phase::SynSent;
  syn_due_ = true;
  arm(now);
}

void TcpConnection::write(std::int64_t bytes) {
  written_ = std::min(written_ + bytes, kEndless);
}

std::optional<Picos> TcpConnection::receive(const Segment& segment, Picos now) {
  if (segment.syn || phase_ != Phase::Established) handshake(segment, now);
  if (phase_ != Phase::Established || segment.syn) return std::nullopt;
  std::optional<Picos> round_trip;
  if (segment.ack) round_trip = receive_acknowledgement(segment, now);
  if (segment.length > 0) receiver_.receive(segment, now);
  return round_trip;
}

void TcpConnection::handshake(const Segment& segment, Picos now) {
  if (segment.syn && phase_ != Phase::Established) {
    mss_ = std::min(mss_, std::uint32_t{segment.mss} - kTimestampOption);
    window_ = CongestionWindow(config_.congestion_control, mss_);
    window_edge_ = segment.window;
    receiver_.synchronise(segment.timestamp);
  }
  switch (phase_) {
    case Phase::Listen:
      if (!segment.syn) return;
      phase_ = Phase::SynReceived;
      syn_due_ = true;
      arm(now);
      return;
    case Phase::SynReceived:
      if (segment.syn) {  // The SYN-ACK was lost.
        syn_due_ = true;
        return;
      }
      break;
    case Phase::SynSent:
      if (!segment.syn || !segment.ack) return;
      receiver_.acknowledge_soon();
      break;
    case Phase::Established:
      receiver_.acknowledge_soon();  // Our last ACK of the handshake was lost.
      return;
  }
  phase_ = Phase::Established;
  syn_due_ = false;
  retransmit_at_.reset();
  timeout_.sample(now - segment.echo);
}

std::optional<Picos> TcpConnection::receive_acknowledgement(const Segment& segment, Picos now) {
  window_edge_ = std::max(window_edge_, segment.acknowledges + segment.window);
  for (std::uint8_t i = 0; i < segment.sack_count; ++i)
    scoreboard_.sack(segment.sack[i]);

  std::optional<Picos> round_trip;
  if (segment.acknowledges > acknowledged_) {
    round_trip = now - segment.echo;
    timeout_.sample(*round_trip);
    backed_off_ = false;
    acknowledge_new(segment.acknowledges, now);
    retransmit_at_.reset();
    if (!scoreboard_.empty()) arm(now);
  }
  detect_loss();
  return round_trip;
}

void TcpConnection::acknowledge_new(std::int64_t next_expected, Picos now) {
  const std::int64_t fresh = next_expected - acknowledged_;
  acknowledged_ = next_expected;
  scoreboard_.acknowledge(next_expected);
  if (recovery_ != Recovery::Fast)
    window_.acknowledge(fresh, window_limited_, mss_, now, timeout_.smoothed());
  if (acknowledged_ >= recovery_point_) recovery_ = Recovery::None;
}

void TcpConnection::detect_loss() {
  if (!scoreboard_.find_losses() || recovery_ != Recovery::None) return;
  recovery_ = Recovery::Fast;
  recovery_point_ = sent_;
  window_.congestion(flight(), mss_);
  window_.set(window_.threshold());
}

void TcpConnection::packet_too_big(std::uint32_t mtu) {
  const std::uint32_t least = config_.ip_header == kIpv6Header ? kLeastPathMtuV6 : kLeastPathMtu;
  const std::uint32_t mss = std::max(mtu, least) - overhead();
  if (mss >= mss_) return;
  mss_ = mss;
  // What was too large is sent again at once and is no sign of congestion.
  scoreboard_.shrink(mss_);
}

void TcpConnection::expire(Picos now) {
  if (!retransmit_at_ || *retransmit_at_ > now) return;
  timeout_.back_off();
  arm(now);
  if (phase_ != Phase::Established) {
    syn_due_ = true;
    return;
  }
  if (scoreboard_.empty()) {
    probe_window_ = true;
    return;
  }
  scoreboard_.lose_all();
  window_.timeout(flight(), scoreboard_.pipe(), mss_, !backed_off_);
  backed_off_ = true;
  recovery_ = Recovery::Timeout;
  recovery_point_ = sent_;
}

std::optional<Segment> TcpConnection::next(Picos now) {
  if (phase_ != Phase::Established) return next_syn(now);
  if (auto segment = next_data(now)) return segment;
  if (!receiver_.must_acknowledge(now)) return std::nullopt;
  return data(sent_, 0, now);
}

std::optional<Segment> TcpConnection::next_syn(Picos now) {
  if (!syn_due_) return std::nullopt;
  syn_due_ = false;
  Segment segment{.timestamp = now, .ip_header = config_.ip_header, .syn = true};
  segment.mss = static_cast<std::uint16_t>(config_.mtu - config_.ip_header - kTcpHeader);
  receiver_.acknowledge(segment);
  segment.ack = phase_ == Phase::SynReceived;
  in_host_ += segment.ip_bytes();
  return segment;
}

std::optional<Segment> TcpConnection::next_data(Picos now) {
  const Scoreboard::Sent* lost = scoreboard_.first_lost();
  const std::uint32_t length = lost != nullptr ? lost->length : new_data_length(now);
  if (length == 0) return std::nullopt;
  if (scoreboard_.pipe() > 0 && scoreboard_.pipe() + length > window_.bytes()) {
    window_limited_ = true;
    note_stall(Stall::CongestionWindow, now);
    return std::nullopt;
  }
  if (in_host_ > 0 && in_host_ + length > kSmallQueue) {
    // Linux counts a sender as limited by the window in slow start until it is twice what is used.
    window_limited_ = window_.in_slow_start() && window_.bytes() < 2 * flight();
    note_stall(Stall::HostQueue, now);
    return std::nullopt;
  }
  if (!retransmit_at_) arm(now);
  std::int64_t begin = sent_;
  if (lost != nullptr) {
    begin = lost->begin;
    scoreboard_.retransmit_first_lost();
    ++retransmissions_;
  } else {
    scoreboard_.add(sent_, length);
    sent_ += length;
    probe_window_ = false;
  }
  return data(begin, length, now);
}

/// How much new data may go in one segment as far as application and receiver are concerned.
std::uint32_t TcpConnection::new_data_length(Picos now) {
  const std::int64_t available = std::min<std::int64_t>(mss_, written_ - sent_);
  if (available == 0) {
    window_limited_ = false;
    note_stall(Stall::Application, now);
    return 0;
  }
  const std::int64_t open = window_edge_ - sent_;
  if (open >= available || probe_window_) return static_cast<std::uint32_t>(available);
  window_limited_ = false;
  note_stall(Stall::ReceiveWindow, now);
  // A segment that is not full would only make the next window smaller (RFC 9293 §3.8.6.2.1).
  if (flight() > 0) return 0;
  if (open > 0) return static_cast<std::uint32_t>(open);
  if (!retransmit_at_) arm(now);
  return 0;
}

Segment TcpConnection::data(std::int64_t begin, std::uint32_t length, Picos now) {
  Segment segment{
      .sequence = begin, .timestamp = now, .length = length, .ip_header = config_.ip_header};
  receiver_.acknowledge(segment);
  // The smallest MTUs leave no room for all of the blocks.
  while (segment.sack_count > 0 && segment.ip_bytes() > config_.mtu)
    --segment.sack_count;
  in_host_ += segment.ip_bytes();
  return segment;
}

std::optional<Picos> TcpConnection::deadline() const {
  const std::optional<Picos> acknowledge = receiver_.deadline();
  if (!acknowledge || !retransmit_at_) return acknowledge ? acknowledge : retransmit_at_;
  return std::min(*acknowledge, *retransmit_at_);
}

void TcpConnection::note_stall(Stall reason, Picos now) {
  if (reason == stall_) return;
  stalled_[static_cast<std::size_t>(stall_)] += std::max(Picos{}, now - stalled_since_);
  stalled_since_ = std::max(now, config_.measured_from);
  stall_ = reason;
}

Picos TcpConnection::stalled(Stall reason, Picos now) const {
  const Picos past = stalled_[static_cast<std::size_t>(reason)];
  return reason == stall_ ? past + std::max(Picos{}, now - stalled_since_) : past;
}

}  // namespace overlane::transport
