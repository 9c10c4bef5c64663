#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/transport/segment.h"

namespace overlane::run {

// Estimates of a run before it begins: memory, packets and events, from the network and the
// traffic. wire_bytes() encodes a packet as bytes.

/// Estimated memory of a run in addition to `network`: flows with their sockets, cache entries and
/// timers, the state that nodes learn, stations, and as many packets in flight as windows and
/// queues allow. Within a factor of three for many flows.
Bytes estimate_memory(const Network& network, const std::vector<TrafficGroup>& traffic,
                      Picos duration);

/// Estimated memory of the states, machines and pods of `network` itself.
Bytes estimate_memory(const Network& network);

/// Fields of TCP headers that a Segment does not have: the first sequence numbers of both
/// directions, and the window scale (RFC 7323, section 2).
struct TcpNumbering {
  std::uint32_t sequence = 0;         ///< Initial sequence number of the sender.
  std::uint32_t acknowledgement = 0;  ///< Initial sequence number of the other endpoint.
  std::uint8_t window_scale = 0;
};

/// The smallest window scale with which a window of this size fits a header.
std::uint8_t window_scale(std::int64_t window_bytes);

/// The bytes of a packet from its outermost IP header on, with correct checksums and a payload of
/// zeros. `segment` is the TCP segment in the packet; null for other packets. Timestamps tick in
/// milliseconds from 0. A fragment of a tunnel packet has its part of the whole packet's bytes.
std::vector<std::uint8_t> wire_bytes(const forward::Packet& packet,
                                     const transport::Segment* segment, TcpNumbering numbering);

/// Estimated number of packets of a run.
struct Work {
  /// Wire packets, as many as links, caps, windows and cores let through. Too high if packets are
  /// lost or several groups share a link, cap or core.
  double packets = 0;
  /// Part of `packets`: datagrams of senders that no core or link can slow down.
  double sure_packets = 0;
};

/// Minimum number of events per datagram between two nodes: its sender's timer and its arrival at
/// the other NIC.
inline constexpr double kMinEventsOfPacket = 2;

/// The work of a run until `end`. Datagrams are exact except for random arrival times.
Work estimate_work(const Network& network, const std::vector<TrafficGroup>& traffic, Picos end);

}  // namespace overlane::run
