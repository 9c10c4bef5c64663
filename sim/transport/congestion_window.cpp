#include "sim/transport/congestion_window.h"

#include <algorithm>

namespace overlane::transport {

namespace {

/// Time in units of 2^-20 s. 10^12 ps = 2^12 · 244'140'625 ps.
std::int64_t units(Picos time) {
  constexpr Picos kLongest = seconds(4'000);  // Longer epochs are at the window's limit anyway.
  return std::min(time, kLongest).count * 256 / 244'140'625;
}

}  // namespace

std::uint32_t cube_root(WideInteger number) {
  std::uint64_t root = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint64_t larger = root | std::uint64_t{1} << bit;
    if (WideInteger{larger} * larger * larger <= number) root = larger;
  }
  return static_cast<std::uint32_t>(root);
}

void Cubic::congestion(std::int64_t window) {
  // Fast convergence: a flow that did not reach its old plateau releases bandwidth to others.
  const bool shrinking = window < plateau_;
  plateau_ = static_cast<std::uint32_t>(shrinking ? window * 17 / 20 : window);
  prior_ = static_cast<std::uint32_t>(window);
  estimate_ = 0;
}

void Cubic::begin_epoch(std::int64_t window, std::uint32_t mss) {
  elapsed_ = {};
  last_ = kNever;
  estimate_ = static_cast<std::uint32_t>(window);
  window_rest_ = 0;
  estimate_rest_ = 0;
  to_plateau_ = 0;
  if (window >= plateau_) {
    plateau_ = estimate_;
    return;
  }
  // K³ = (W_max − cwnd_epoch) / C, in segments (section 4.2, figure 2).
  const WideInteger cube = (WideInteger{plateau_} - window) * 5 / 2;
  to_plateau_ = cube_root((cube << 60) / mss);
}

std::int64_t Cubic::curve(Picos time, std::uint32_t mss) const {
  const std::int64_t distance = units(time) - to_plateau_;
  const WideInteger cube = WideInteger{distance} * distance * distance / (std::int64_t{1} << 40);
  const WideInteger segments = cube * mss * 2 / (std::int64_t{1} << 20);
  return plateau_ + static_cast<std::int64_t>(segments) / 5;
}

/// W_est of section 4.3, figure 4: Reno's window. It grows more slowly than Reno's until it reaches
/// the window before the loss, because CUBIC reduces it by less.
void Cubic::grow_estimate(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss) {
  std::int64_t product = acknowledged * mss;
  if (estimate_ < prior_) product = product * 9 / 17;  // α = 3·(1 − β)/(1 + β), then 1.
  product += estimate_rest_;
  estimate_ += static_cast<std::uint32_t>(product / window);
  estimate_rest_ = static_cast<std::uint32_t>(product % window);
}

std::int64_t Cubic::growth(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss,
                           Picos now, Picos rtt) {
  if (estimate_ == 0) begin_epoch(window, mss);
  if (last_ != kNever) elapsed_ += now - last_;
  last_ = now;
  grow_estimate(window, acknowledged, mss);
  if (curve(elapsed_, mss) < estimate_) return std::max(std::int64_t{0}, estimate_ - window);
  const std::int64_t target = std::clamp(curve(elapsed_ + rtt, mss), window, window * 3 / 2);
  const std::int64_t product = (target - window) * acknowledged + window_rest_;
  window_rest_ = static_cast<std::uint32_t>(product % window);
  return product / window;
}

namespace {

std::uint32_t microseconds_of(Picos time) {
  return static_cast<std::uint32_t>(time.count / microseconds(1).count);
}

/// The distance from `begin` to `end`, negative if `end` is before `begin`.
std::int32_t distance(std::uint32_t begin, std::uint32_t end) {
  return static_cast<std::int32_t>(end - begin);
}

/// Longest gap between two acknowledgements of a train (hystart_ack_delta_us).
constexpr std::int32_t kTrainGap = 2'000;
/// Slow start does not end with a smaller window (hystart_low_window), in segments.
constexpr std::int64_t kMinHyStartWindow = 16;
/// Samples of a round before its minimum counts (HYSTART_MIN_SAMPLES).
constexpr std::uint8_t kRoundSamples = 8;
/// Bounds of the tolerated queueing delay (HYSTART_DELAY_MIN, HYSTART_DELAY_MAX).
constexpr std::uint32_t kMinTolerance = 4'000, kMaxTolerance = 16'000;

/// How much longer than a round trip a train may be, since GSO and GRO release four full buffers at
/// once (hystart_ack_delay). The pacing rate of slow start is twice the window per round trip.
std::uint32_t train_slack(std::int64_t window, Picos smoothed_rtt) {
  constexpr std::int64_t kBuffers = 4 * 65'536;
  constexpr Picos kMaxSlack = milliseconds(1);
  const WideInteger slack = WideInteger{smoothed_rtt.count} * kBuffers / (2 * window);
  return microseconds_of(slack < kMaxSlack.count ? Picos{static_cast<std::int64_t>(slack)}
                                                 : kMaxSlack);
}

}  // namespace

void HyStart::begin_round(std::int64_t sent, Picos now) {
  round_began_ = last_in_train_ = microseconds_of(now);
  round_end_ = static_cast<std::uint32_t>(sent);
  round_min_rtt_ = kNoRtt;
  samples_ = 0;
}

void HyStart::restart(std::int64_t sent, Picos now) {
  found_ = false;
  min_rtt_ = kNoRtt;
  begin_round(sent, now);
}

bool HyStart::ends_slow_start(const Acknowledgement& acknowledgement, std::int64_t window,
                              Picos now) {
  if (found_ || acknowledgement.rtt == kNever) return false;
  const std::uint32_t rtt = std::max(microseconds_of(acknowledgement.rtt), 1u);
  min_rtt_ = std::min(min_rtt_, rtt);
  const auto next_expected = static_cast<std::uint32_t>(acknowledgement.next_expected);
  if (distance(round_end_, next_expected) > 0) begin_round(acknowledgement.sent, now);
  if (window < kMinHyStartWindow * acknowledgement.mss) return false;

  const std::uint32_t time = microseconds_of(now);
  if (distance(last_in_train_, time) <= kTrainGap) {
    last_in_train_ = time;
    // Half of it, since the sender is not paced.
    const std::uint32_t full = min_rtt_ + train_slack(window, acknowledgement.smoothed_rtt);
    if (distance(round_began_, time) > static_cast<std::int32_t>(full / 2)) found_ = true;
  }
  round_min_rtt_ = std::min(round_min_rtt_, rtt);
  if (samples_ < kRoundSamples) {
    ++samples_;
  } else if (round_min_rtt_ > min_rtt_ + std::clamp(min_rtt_ / 8, kMinTolerance, kMaxTolerance)) {
    found_ = true;
  }
  return found_;
}

void CongestionWindow::set(std::int64_t bytes) {
  bytes_ = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, kMax));
}

void CongestionWindow::acknowledge(const Acknowledgement& acknowledgement, Picos now) {
  if (algorithm_ == CongestionControl::Cubic && in_slow_start() &&
      hystart_.ends_slow_start(acknowledgement, bytes(), now))
    threshold_ = bytes_;
  if (!acknowledgement.limited) return cubic_.pause();
  std::int64_t acknowledged = acknowledgement.bytes;
  if (in_slow_start()) {
    const std::int64_t room = threshold() - bytes();
    set(bytes() + std::min(acknowledged, room));
    acknowledged -= std::min(acknowledged, room);
    if (acknowledged == 0) return;
  }
  switch (algorithm_) {
    case CongestionControl::Cubic:
      return set(bytes() + cubic_.growth(bytes(), acknowledged, acknowledgement.mss, now,
                                         acknowledgement.smoothed_rtt));
    case CongestionControl::NewReno:
      return set(bytes() + new_reno_.growth(bytes(), acknowledged, acknowledgement.mss));
  }
}

void CongestionWindow::congestion(std::uint32_t mss) {
  std::int64_t reduced = 0;
  switch (algorithm_) {
    case CongestionControl::Cubic:
      cubic_.congestion(bytes());
      reduced = Cubic::reduced(bytes());
      break;
    case CongestionControl::NewReno:
      new_reno_.congestion();
      reduced = NewReno::reduced(bytes());
      break;
  }
  threshold_ = static_cast<std::uint32_t>(std::max(reduced, 2 * std::int64_t{mss}));
}

void CongestionWindow::timeout(std::int64_t pipe, std::int64_t sent, std::uint32_t mss, bool first,
                               Picos now) {
  if (first) {
    congestion(mss);
    cubic_.timeout();
    hystart_.restart(sent, now);
  }
  set(pipe + mss);
}

void CongestionWindow::restart(Picos idle, Picos timeout, std::uint32_t mss) {
  const std::int64_t least = std::min<std::int64_t>(kInitialSegments * mss, bytes());
  threshold_ = std::max(threshold_, bytes_ / 2 + bytes_ / 4);
  std::int64_t window = bytes();
  for (idle -= timeout; idle > Picos{} && window > least; idle -= timeout)
    window /= 2;
  set(std::max(window, least));
}

}  // namespace overlane::transport
