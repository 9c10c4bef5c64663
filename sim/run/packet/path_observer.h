#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/net/drop.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// Is told where packets are that no event will show: where they begin and where they end.
class PacketTracer {
 public:
  virtual ~PacketTracer() = default;

  /// The packet has come to a stop and goes on.
  virtual void see(FlightId id, Stop stop) = 0;
  /// The packet has come to its last stop.
  virtual void see_last(FlightId id, Stop stop, std::optional<Drop> drop) = 0;
};

}  // namespace overlane::run
