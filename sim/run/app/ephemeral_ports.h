#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/units.h"

namespace overlane::run {

inline constexpr std::uint16_t kFirstPort = encap::kFirstLocalPort;
inline constexpr std::uint16_t kPorts = encap::kLastLocalPort - encap::kFirstLocalPort + 1;

/// The source ports of one flow's connections: those of the range in turn, as many as fall to it of
/// the flows between the same two pods, so that no two of these share one. A port can be taken
/// again when its last connection has left TIME-WAIT (net.ipv4.tcp_tw_reuse is for loopback alone).
class EphemeralPorts {
 public:
  /// `first` has been taken; so many `flows` share the range.
  EphemeralPorts(std::uint16_t first, std::uint32_t flows)
      : offset_(first - kFirstPort), step_(flows), count_(std::max(1u, kPorts / flows)) {}

  /// When the next port is or was free.
  Picos next_free_at() const {
    const std::uint64_t place = (taken_ + 1) % count_;
    return place < free_at_.size() ? free_at_[place] : Picos{};
  }
  std::uint16_t take() {
    const std::uint64_t place = ++taken_ % count_;
    return static_cast<std::uint16_t>(kFirstPort + (offset_ + place * step_) % kPorts);
  }
  /// The port taken last is in use until then.
  void hold_until(Picos time) {
    const std::uint64_t place = taken_ % count_;
    if (place >= free_at_.size()) free_at_.resize(place + 1);
    free_at_[place] = time;
  }

 private:
  std::uint64_t offset_;
  std::uint64_t step_;
  std::uint64_t count_;
  std::uint64_t taken_ = 0;
  std::vector<Picos> free_at_;
};

}  // namespace overlane::run
