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
  phase_ = Phase::SynSent;
  syn_due_ = true;
  arm(now);
}

void TcpConnection::write(std::int64_t bytes) {
  assert(!closing_);
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
    if (segment.fin) retransmit_at_ = now + kTimeWait;
  } else if (segment.ack) {
    round_trip = receive_acknowledgement(segment, now);
  }
  receiver_.receive(segment, now);
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
      receiver_.acknowledge_soon();  // Our last ACK of the handshake was lost.
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
  retransmit_at_ = now + kTimeWait;
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

}  // namespace overlane::transport
