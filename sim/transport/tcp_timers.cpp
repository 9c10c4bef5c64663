#include <algorithm>

#include "sim/transport/tcp_connection.h"

namespace overlane::transport {

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
  early_at_ = scoreboard_.reordering_ends();
  early_ = Early::Reordering;
  if (early_at_ != kNever || !config_->tail_loss_probe) return;
  const bool under_way = loss_probe_due_ || loss_probe_end_ >= 0;
  if (recovery_ != Recovery::None || under_way) return;
  if (scoreboard_.empty() || scoreboard_.has_sacked()) return;
  const Picos delayed = scoreboard_.segments() == 1 ? kLatestDelayedAck : Picos{};
  early_ = Early::LossProbe;
  early_at_ = std::min(now + timeout_.smoothed() * 2 + delayed, retransmit_at_);
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
  timeout_.back_off();
  arm(now);
}

/// The other end has closed its window, and nothing is outstanding that it would acknowledge (RFC
/// 9293 §3.8.6.1).
void TcpConnection::expire_window_probe(Picos now) {
  if (retries_ >= config_->retries2) return end(Phase::Failed);
  ++retries_;
  window_probe_due_ = true;
  timeout_.back_off();
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
  window_.timeout(scoreboard_.pipe(), mss_, first);
  recovery_ = Recovery::Timeout;
  recovery_point_ = sent_;
  loss_probe_end_ = -1;
  loss_probe_due_ = false;
  early_at_ = kNever;
  retries_ = static_cast<std::uint8_t>(std::min(retries_ + 1, 255));
  timeout_.back_off();
  arm(now);
}

}  // namespace overlane::transport
