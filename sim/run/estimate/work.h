#pragma once

#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::run {

/// What a run is about to do.
struct Work {
  /// Wire packets, about: as many as links, caps, windows and cores let through, which is more
  /// where packets are lost or several groups share one of these.
  double packets = 0;
  /// Of these, datagrams that are sent whatever happens to them: no core, and no link to speak of,
  /// holds up their senders.
  double sure_packets = 0;
};

/// The fewest events that a datagram between two nodes takes: its sender's timer and its arrival at
/// the other NIC.
inline constexpr double kMinEventsOfPacket = 2;

/// Of carrying `traffic` over `network` until `end`. Datagrams are exact but for chance.
Work estimate_work(const Network& network, const std::vector<TrafficGroup>& traffic, Picos end);

}  // namespace overlane::run
