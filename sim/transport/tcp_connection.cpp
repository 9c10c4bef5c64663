#include "sim/transport/tcp_connection.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace overlane::transport {

TcpConnection::TcpConnection(const Config& config)
    : TcpConnection(std::make_shared<const Config>(config)) {}

TcpConnection::TcpConnection(std::shared_ptr<const Config> config)
    : config_(std::move(config)),
      window_(config_->congestion_control, config_->mtu - overhead()),
      receiver_(config_->receive_buffer, config_->interactive),
      stall_(config_->measured_from) {
  listen();
}

void TcpConnection::listen() {
  phase_ = Phase::Listen;
  path_mss_ = static_cast<std::uint16_t>(config_->mtu - overhead());
  mss_ = path_mss_;
  timeout_ = {};
  retries_ = 0;
  retransmit_at_ = kNever;
  syn_due_ = false;
}

void TcpConnection::open(Picos now) {
  assert(phase_ == Phase::Listen);
  phase_ = Phase::SynSent;
  syn_due_ = true;
  arm(now);
}

void TcpConnection::write(std::int64_t bytes) {
  assert(!closing_ && bytes >= 0);
  written_ = std::min(written_ + bytes, kEndless);
}

void TcpConnection::close() {
  switch (phase_) {
    case Phase::Listen:
      return end(Phase::Closed);
    case Phase::SynSent:
      if (written_ == 0) return end(Phase::Closed);
      closing_ = true;
      return;
    case Phase::SynReceived:
    case Phase::Established:
      closing_ = true;
      return;
    case Phase::TimeWait:
    case Phase::Closed:
    case Phase::Failed:
      return;
  }
}

void TcpConnection::end(Phase phase) {
  phase_ = phase;
  retransmit_at_ = kNever;
  early_at_ = kNever;
  syn_due_ = false;
}

Picos TcpConnection::receive(const Segment& segment, Picos now) {
  if (phase_ == Phase::Closed || phase_ == Phase::Failed) return kNever;
  if (segment.rst) {
    reset();
    return kNever;
  }
  if (segment.syn || phase_ < Phase::Established) handshake(segment, now);
  if (phase_ < Phase::Established || segment.syn) return kNever;
  Picos round_trip = kNever;
  if (phase_ == Phase::TimeWait) {
    if (segment.fin) retransmit_at_ = config_->timers.expiry(now, kTimeWait);
  } else if (segment.ack) {
    round_trip = receive_acknowledgement(segment, now);
  }
  receiver_.receive(segment, now, config_->timers);
  finish(now);
  return round_trip;
}

void TcpConnection::handshake(const Segment& segment, Picos now) {
  if (segment.syn && phase_ < Phase::Established) {
    const std::uint32_t offered = std::uint32_t{segment.mss} - kTimestampOption;
    path_mss_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(path_mss_, offered));
    window_edge_ = segment.window;
    receiver_.synchronise(segment.timestamp);
  }
  switch (phase_) {
    case Phase::Listen:
      if (!segment.syn || segment.ack) return;
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
    case Phase::TimeWait:
      receiver_.acknowledge_soon();  // This endpoint's last ACK of the handshake was lost.
      return;
    case Phase::Closed:
    case Phase::Failed:
      return;
  }
  phase_ = Phase::Established;
  syn_due_ = false;
  retransmit_at_ = kNever;
  timeout_.sample(now - segment.echo);
  search_.begin(*config_, path_mss_ + overhead(), overhead(), now);
  mss_ = path_mss_;
  adjust_mss();
  window_ = CongestionWindow(config_->congestion_control, mss_);
  if (retries_ > 1) window_.start_small(mss_);
  retries_ = 0;
}

/// Sets the MSS to what the path and the MTU search allow.
void TcpConnection::adjust_mss() {
  const std::uint32_t searched = search_.limit() - overhead();
  const auto mss = static_cast<std::uint16_t>(std::min<std::uint32_t>(path_mss_, searched));
  const bool smaller = mss < mss_;
  mss_ = mss;
  if (smaller && !scoreboard_.empty()) scoreboard_.shrink(mss_);
}

void TcpConnection::packet_too_big(std::uint32_t mtu) {
  const bool ipv6 = config_->ip_header == kIpv6Header;
  mtu = std::max(mtu, ipv6 ? kMinPathMtuV6 : kMinPathMtu);
  if (mtu >= path_mss_ + overhead()) return;
  path_mss_ = static_cast<std::uint16_t>(mtu - overhead());
  search_.lower(mtu);
  // Oversized segments are resent at once and do not count as congestion.
  adjust_mss();
  if (!search_.probing()) return;
  search_.forget_probe();
  scoreboard_.shrink(mss_);
}

/// Ends the connection when both FINs have arrived (RFC 9293 figure 5).
void TcpConnection::finish(Picos now) {
  const bool fin_acknowledged = closing_ && acknowledged_ > written_;
  if (phase_ != Phase::Established || !fin_acknowledged || !receiver_.finished()) return;
  if (closed_second_) return end(Phase::Closed);
  end(Phase::TimeWait);
  retransmit_at_ = config_->timers.expiry(now, kTimeWait);
}

/// The other end's host has no such connection (RFC 9293 section 3.10.7).
void TcpConnection::reset() {
  switch (phase_) {
    case Phase::SynReceived:
      return listen();
    case Phase::SynSent:
    case Phase::Established:
      return end(Phase::Failed);
    case Phase::Listen:
    case Phase::TimeWait:
    case Phase::Closed:
    case Phase::Failed:
      return;
  }
}

Picos TcpConnection::deadline() const {
  if (phase_ == Phase::Closed || phase_ == Phase::Failed) return kNever;
  return std::min(std::min(retransmit_at_, early_at_), receiver_.deadline());
}

void TcpConnection::release() {
  scoreboard_.release();
  receiver_.release();
}

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
  // A segment that still waits in this host is not lost.
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

/// Payload of a probe for a larger path MTU if one is due, or 0. Enough data must be ready to
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

Picos TcpConnection::receive_acknowledgement(const Segment& segment, Picos now) {
  const std::int64_t edge = segment.acknowledges + segment.window;
  bool is_news = edge > window_edge_ || !segment.is_pure_ack();
  window_edge_ = std::max(window_edge_, edge);
  std::int64_t delivered = 0;
  for (const SackBlock& block : segment.sack)
    delivered += scoreboard_.sack(block, now);

  Picos round_trip = kNever;
  const std::int64_t fresh = segment.acknowledges - acknowledged_;
  if (fresh > 0) {
    round_trip = now - segment.echo;
    timeout_.sample(round_trip);
    retries_ = 0;
    acknowledged_ = segment.acknowledges;
    const Scoreboard::Delivery delivery = scoreboard_.acknowledge(acknowledged_, segment.echo, now);
    delivered += delivery.bytes;
    acknowledge_new(fresh, delivery, now);
    arm(now);
  }
  if (scoreboard_.empty()) {
    // Nothing is outstanding. If the window was closed, a probe was just answered.
    retransmit_at_ = kNever;
    retries_ = 0;
    if (window_edge_ > sent_) timeout_.relax();
  }
  is_news |= delivered > 0;
  end_loss_probe(segment, is_news);
  const bool lost = detect_loss(now);
  if (recovery_ == Recovery::Fast && (lost || delivered > 0)) {
    const bool progress = fresh > 0 && !lost;
    window_.set(
        reduction_.window(scoreboard_.pipe(), delivered, window_.threshold(), mss_, progress));
  }
  if (is_news) arm_early(now);
  return round_trip;
}

void TcpConnection::acknowledge_new(std::int64_t fresh, const Scoreboard::Delivery& delivery,
                                    Picos now) {
  if (search_.probing() && acknowledged_ >= search_.probe_end(overhead())) {
    search_.probe_arrived();
    adjust_mss();
  }
  if (recovery_ != Recovery::Fast) {
    // In slow start the window may be twice its usage (tcp_is_cwnd_limited).
    const bool half_used =
        window_.in_slow_start() && window_.bytes() < 2 * std::int64_t{most_flight_};
    window_.acknowledge(
        {.bytes = fresh,
         .next_expected = acknowledged_,
         .sent = sent_,
         .rtt = delivery.last_sent_at == kNever ? kNever : now - delivery.last_sent_at,
         .smoothed_rtt = timeout_.smoothed(),
         .mss = mss_,
         .limited = window_limited_ || half_used},
        now);
  }
  if (acknowledged_ < recovery_point_) return;
  if (recovery_ == Recovery::Fast) window_.set(window_.threshold());
  recovery_ = Recovery::None;
}

/// RFC 8985 section 7.4, as Linux does it without DSACK (tcp_process_tlp_ack): if the repeated
/// segment is acknowledged only once, its first transmission was lost and the probe repaired it.
void TcpConnection::end_loss_probe(const Segment& segment, bool is_news) {
  if (loss_probe_end_ < 0 || segment.acknowledges < loss_probe_end_) return;
  if (loss_probe_repeats_ && segment.acknowledges == loss_probe_end_ && is_news) return;
  const bool hid_loss = loss_probe_repeats_ && segment.acknowledges > loss_probe_end_;
  loss_probe_end_ = -1;
  if (!hid_loss || recovery_ != Recovery::None) return;
  window_.congestion(mss_);
  window_.set(window_.threshold());
}

/// True if segments were newly marked as lost.
bool TcpConnection::detect_loss(Picos now) {
  if (!scoreboard_.find_losses(recovery_ != Recovery::None, timeout_.smoothed(), now)) return false;
  if (search_.probing() && scoreboard_.first_lost()->begin == search_.probe_begin()) {
    // The probe was too large; this is not congestion.
    search_.probe_failed();
    scoreboard_.shrink(mss_);
    return true;
  }
  if (recovery_ == Recovery::None) reduce();
  return true;
}

void TcpConnection::reduce() {
  recovery_ = Recovery::Fast;
  recovery_point_ = sent_;
  loss_probe_end_ = -1;
  window_.congestion(mss_);
  reduction_.begin(flight());
}

void TcpConnection::expire(Picos now) {
  if (early_at_ <= now) expire_early(now);
  if (retransmit_at_ > now) return;
  switch (phase_) {
    case Phase::SynSent:
    case Phase::SynReceived:
      return expire_handshake(now);
    case Phase::Established:
      return scoreboard_.empty() ? expire_window_probe(now) : expire_retransmission(now);
    case Phase::TimeWait:
      return end(Phase::Closed);
    case Phase::Listen:
    case Phase::Closed:
    case Phase::Failed:
      return;
  }
}

/// Sets the timer that fires before the retransmission timer: RACK's reordering timer (RFC 8985
/// section 6.2, step 5) if it runs, otherwise that of the tail loss probe (7.2), if one is due.
void TcpConnection::arm_early(Picos now) {
  early_at_ = kNever;
  if (const Picos ends = scoreboard_.reordering_ends(); ends != kNever) {
    early_ = Early::Reordering;
    early_at_ = config_->timers.expiry(now, ends - now + kMinEarlyTimeout);
    return;
  }
  if (!config_->tail_loss_probe) return;
  const bool under_way = loss_probe_due_ || loss_probe_end_ >= 0;
  if (recovery_ != Recovery::None || under_way) return;
  if (scoreboard_.empty() || scoreboard_.has_sacked()) return;
  const Picos more = scoreboard_.segments() == 1 ? kLatestDelayedAck : kMinEarlyTimeout;
  early_ = Early::LossProbe;
  early_at_ = std::min(config_->timers.expiry(now, timeout_.smoothed() * 2 + more), retransmit_at_);
}

void TcpConnection::expire_early(Picos now) {
  early_at_ = kNever;
  switch (early_) {
    case Early::LossProbe:
      loss_probe_due_ = true;
      arm(now);
      return;
    case Early::Reordering:
      if (detect_loss(now) && recovery_ == Recovery::Fast)
        window_.set(reduction_.window(scoreboard_.pipe(), 0, window_.threshold(), mss_, false));
      arm_early(now);
      return;
  }
}

void TcpConnection::expire_handshake(Picos now) {
  const bool client = phase_ == Phase::SynSent;
  if (retries_ >= (client ? config_->syn_retries : config_->synack_retries))
    return client ? end(Phase::Failed) : listen();
  ++retries_;
  syn_due_ = true;
  timeout_.back_off(config_->timers);
  arm(now);
}

/// The other endpoint has closed its window, and no outstanding data would make it send an
/// acknowledgement (RFC 9293 §3.8.6.1).
void TcpConnection::expire_window_probe(Picos now) {
  if (retries_ >= config_->retries2) return end(Phase::Failed);
  ++retries_;
  window_probe_due_ = true;
  timeout_.back_off(config_->timers);
  arm(now);
}

void TcpConnection::expire_retransmission(Picos now) {
  if (retries_ == 0) {
    silent_since_ = scoreboard_.front().sent_at;
  } else {
    const Picos silence = now - silent_since_;
    if (silence >= backed_off_time(config_->retries2)) return end(Phase::Failed);
    if (silence >= backed_off_time(config_->retries1))
      search_.black_hole(*config_, overhead(), now);
  }
  if (search_.probing()) search_.forget_probe();
  scoreboard_.time_out(recovery_ != Recovery::None, timeout_.smoothed(), now);
  adjust_mss();
  const bool first = retries_ == 0 && recovery_ != Recovery::Fast;
  window_.timeout(scoreboard_.pipe(), sent_, mss_, first, now);
  recovery_ = Recovery::Timeout;
  recovery_point_ = sent_;
  loss_probe_end_ = -1;
  loss_probe_due_ = false;
  early_at_ = kNever;
  retries_ = static_cast<std::uint8_t>(std::min(retries_ + 1, 255));
  timeout_.back_off(config_->timers);
  arm(now);
}

}  // namespace overlane::transport
