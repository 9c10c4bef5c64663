#pragma once

#include "dataplane/node/runtime/conntrack.h"

namespace overlane::node::testing {

inline IpAddress any_ip(const char* text) {
  return IpAddress::parse(text).value();
}

inline constexpr std::uint8_t kSyn = kTrackedSyn;
inline constexpr std::uint8_t kAck = kTrackedAck;
inline constexpr std::uint8_t kSynAck = kTrackedSyn | kTrackedAck;
inline constexpr std::uint8_t kFinAck = kTrackedFin | kTrackedAck;
inline constexpr std::uint8_t kRst = kTrackedRst;

/// Connections that pod 100.96.1.10 on node 10.250.0.4 opens to a server outside the cluster.
inline const ConntrackTuple kTcp{any_ip("100.96.1.10"), any_ip("198.51.100.1"), 40'000, 443,
                                 kTrackedTcp};
inline const ConntrackTuple kUdp{any_ip("100.96.1.10"), any_ip("198.51.100.1"), 40'000, 53,
                                 kTrackedUdp};
inline const ConntrackTuple kPing =
    icmp_tuple(any_ip("100.96.1.10"), any_ip("198.51.100.1"), 8, 0, 7);
inline const SourceTranslation kNode{.source = any_ip("10.250.0.4")};

/// Passes a packet through track() and confirm(), with eth0 as its egress device.
inline Track pass(ConntrackTable& table, const ConntrackTuple& tuple, Picos now,
                  std::uint8_t flags = kAck) {
  Track track = table.track(tuple, flags, now);
  if (!track.drop) track.drop = table.confirm(track, "eth0", now);
  return track;
}

/// Passes the first packet of a masqueraded connection.
inline Track open_masqueraded(ConntrackTable& table, const ConntrackTuple& tuple, Picos now,
                              const SourceTranslation& translation = kNode) {
  Track track = table.track(tuple, kSyn, now);
  track.drop = table.masquerade(track, translation, "eth0");
  if (!track.drop) track.drop = table.confirm(track, "eth0", now);
  return track;
}

}  // namespace overlane::node::testing
