#include <algorithm>

#include "sim/transport/tcp_connection.h"

namespace overlane::transport {

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
    delivered += scoreboard_.acknowledge(acknowledged_, segment.echo, now);
    acknowledge_new(fresh, now);
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

void TcpConnection::acknowledge_new(std::int64_t fresh, Picos now) {
  if (search_.probing() && acknowledged_ >= search_.probe_end(overhead())) {
    search_.probe_arrived();
    adjust_mss();
  }
  if (recovery_ != Recovery::Fast) {
    // In slow start the window may be twice its usage (tcp_is_cwnd_limited).
    const bool half_used =
        window_.in_slow_start() && window_.bytes() < 2 * std::int64_t{most_flight_};
    window_.acknowledge(fresh, window_limited_ || half_used, mss_, now, timeout_.smoothed());
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

}  // namespace overlane::transport
