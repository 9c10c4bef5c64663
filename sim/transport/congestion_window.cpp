#include "sim/transport/congestion_window.h"

#include <algorithm>

namespace overlane::transport {

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
