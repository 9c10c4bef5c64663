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

void CongestionWindow::set(std::int64_t bytes) {
  bytes_ = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, kMax));
}

void CongestionWindow::acknowledge(std::int64_t acknowledged, bool limited, std::uint32_t mss,
                                   Picos now, Picos smoothed_rtt) {
  if (!limited) return cubic_.pause();
  if (in_slow_start()) {
    const std::int64_t room = threshold() - bytes();
    set(bytes() + std::min(acknowledged, room));
    acknowledged -= std::min(acknowledged, room);
    if (acknowledged == 0) return;
  }
  switch (algorithm_) {
    case CongestionControl::Cubic:
      return set(bytes() + cubic_.growth(bytes(), acknowledged, mss, now, smoothed_rtt));
    case CongestionControl::NewReno:
      return set(bytes() + new_reno_.growth(bytes(), acknowledged, mss));
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

void CongestionWindow::timeout(std::int64_t pipe, std::uint32_t mss, bool first) {
  if (first) {
    congestion(mss);
    cubic_.timeout();
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
