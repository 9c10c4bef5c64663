#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/net/drop.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// Observes packets where no event shows them: where they start and where they end.
class PathObserver {
 public:
  virtual ~PathObserver() = default;

  /// The packet has come to a stop and goes on.
  virtual void see(PacketId id, TracePoint stop) = 0;
  /// The packet has come to its last stop.
  virtual void see_last(PacketId id, TracePoint stop, std::optional<Drop> drop) = 0;
};

/// Observes packets that are dropped.
class LossObserver {
 public:
  virtual ~LossObserver() = default;

  virtual void see_lost(const PacketInFlight& packet, Drop reason) = 0;
};

}  // namespace overlane::run
