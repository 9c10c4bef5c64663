#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// What keeps a sender from sending more.
enum class Stall : std::uint8_t { Application, CongestionWindow, ReceiveWindow, HostQueue };
inline constexpr std::size_t kStallCount = 4;

/// Time per reason that a sender was held back since `measured_from`. The initial reason is
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
