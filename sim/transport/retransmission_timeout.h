#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "dataplane/net/units.h"
#include "sim/transport/timer_wheel.h"

namespace overlane::transport {

// Times of a TCP sender: the retransmission timeout, and what holds the sender back. The
// retransmission timer itself belongs to TcpConnection.

/// Never: a timer that is not set, or an event that has not happened.
inline constexpr Picos kNever{std::numeric_limits<std::int64_t>::max()};

/// Bounds of Linux (TCP_RTO_MIN, TCP_RTO_MAX, TCP_TIMEOUT_INIT in include/net/tcp.h).
inline constexpr Picos kMinTimeout = milliseconds(200);
inline constexpr Picos kMaxTimeout = seconds(120);
inline constexpr Picos kInitialTimeout = seconds(1);
/// Added to the delays of the loss probe and of the reordering timer, which are shorter than the
/// retransmission timeout (TCP_TIMEOUT_MIN_US).
inline constexpr Picos kMinEarlyTimeout = milliseconds(2);

/// Time of `retries` retransmissions and of the wait after the last, with the minimum timeout: 3 s
/// for tcp_retries1, 924.6 s for tcp_retries2 (tcp_model_timeout). Counted from the first
/// transmission, as in Linux's documentation; Linux itself counts from the first retransmission.
constexpr Picos backed_off_time(int retries) {
  Picos sum;
  Picos timeout = kMinTimeout;
  for (int i = 0; i <= retries; ++i) {
    sum += timeout;
    timeout = std::min(timeout * 2, kMaxTimeout);
  }
  return sum;
}

/// The retransmission timeout of RFC 6298, in integers: smoothed round-trip time with gain 1/8,
/// mean deviation with gain 1/4, doubled on each timeout until a new sample arrives. As in Linux
/// (__tcp_set_rto), the minimum is one of the deviation's share: the timeout of a path without
/// jitter is the round-trip time plus kMinTimeout.
class RetransmissionTimeout {
 public:
  void sample(Picos rtt) {
    if (smoothed_.count == 0) {
      smoothed_ = rtt;
      deviation_ = rtt / 2;
    } else {
      const Picos error = rtt - smoothed_;
      const Picos distance = std::max(error, Picos{} - error);
      deviation_ += (distance - deviation_) / 4;
      smoothed_ += error / 8;
    }
    relax();
  }

  /// Doubles the timeout, in the kernel's ticks.
  void back_off(const TimerWheel& timers) {
    timeout_ = std::min(timers.rounded(timeout_) * 2, kMaxTimeout);
  }
  /// Undoes all doubling. Call only after the first sample.
  void relax() {
    timeout_ = std::min(smoothed_ + std::max(deviation_ * 4, kMinTimeout), kMaxTimeout);
  }

  Picos timeout() const { return timeout_; }
  /// Zero before the first sample.
  Picos smoothed() const { return smoothed_; }

 private:
  Picos smoothed_;
  Picos deviation_;
  Picos timeout_ = kInitialTimeout;
};

/// The reason why a sender does not send more.
enum class Stall : std::uint8_t { Application, CongestionWindow, ReceiveWindow, HostQueue };
inline constexpr std::size_t kStallCount = 4;

/// How long each reason held a sender back since `measured_from`. The initial reason is
/// Application.
class StallClock {
 public:
  explicit StallClock(Picos measured_from) : since_(measured_from) {}

  void note(Stall reason, Picos now) {
    if (reason == reason_) return;
    past_[static_cast<std::size_t>(reason_)] = total(reason_, now);
    since_ = std::max(now, since_);
    reason_ = reason;
  }
  Picos total(Stall reason, Picos now) const {
    const Picos past = past_[static_cast<std::size_t>(reason)];
    return reason == reason_ ? past + std::max(Picos{}, now - since_) : past;
  }

 private:
  std::array<Picos, kStallCount> past_{};
  Picos since_;
  Stall reason_ = Stall::Application;
};

}  // namespace overlane::transport
