#pragma once

#include <optional>

#include "sim/random/distribution.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/transport/pacing.h"

namespace overlane::run {

/// When the datagrams of a traffic group's flows leave (TrafficGroup::rate, arrivals, on, off).
class DatagramTimes {
 public:
  /// Of a udp group; that of another kind is good for nothing.
  explicit DatagramTimes(const TrafficGroup& group);

  /// Where a flow has got to.
  struct State {
    transport::PacedTime last;  ///< When the last datagram left.
    Picos silent_next;          ///< When it is silent again.
  };

  /// The first datagram leaves at `start`.
  State begin(Picos start, RandomStream& random) const;
  /// When the next one leaves: at times before the one before, if that was late.
  Picos next(State& state, RandomStream& random) const;

 private:
  transport::Pace pace_;
  Arrivals arrivals_;
  std::int64_t bit_picos_;  ///< Of a datagram's payload: over the rate, its share.
  std::int64_t rate_;
  std::optional<Distribution> on_;
  std::optional<Distribution> off_;
};

}  // namespace overlane::run
