#pragma once

#include <cstdint>

#include "sim/run/app/application_cpu.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/app/endpoint_timers.h"
#include "sim/run/app/socket_headers.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The sending half of sockets: turns datagrams and TCP segments into packets and gives them to
/// PacketPath. A UDP socket blocks its application when the send buffer is full
/// (sock_alloc_send_pskb) and wakes it when half of it is free (sock_writeable). A TCP socket sends
/// what the connection permits while its core has time, in buffers of up to 64 KiB (GSO) and within
/// TCP small queues (tcp_small_queue_check). Streams that share a core of one machine take turns
/// (SendingTurns). One partition owns a SocketSender and is its only user.
class SocketSender {
 public:
  /// Referenced arguments must outlive this object.
  SocketSender(FlowTable& table, SocketHeaders& headers, EndpointTimers& timers,
               ApplicationCpu& cpu, PacketPath& path, const core::Scheduler& scheduler);

  /// Whether the send buffer of a UDP socket is full. If so, the application has a turn when
  /// left_host() finds room.
  bool blocks(EndpointId id);
  void send_datagram(EndpointId id, std::uint32_t payload);
  /// Sends what a TCP connection has to send and its core has time for: one buffer after the other,
  /// each with the bytes that became ready while the core was busy with the one before. Arms the
  /// endpoint's timers.
  void pump(EndpointId id);
  /// Resets the connection of a segment that the socket has no state for.
  void refuse(EndpointId id, const transport::Segment& segment);
  /// A packet of `bytes` has left the host of its sender, or was dropped there.
  void left_host(EndpointId id, std::uint32_t bytes);

 private:
  void send(EndpointId id, const transport::Segment* segment, std::uint32_t ip_bytes,
            bool dont_fragment, cost::Arrival arrival = cost::Arrival::Alone);
  std::int32_t held(EndpointId id, const Endpoint& end) const;
  void give_back(EndpointId id);
  void hand_over(EndpointId id);

  FlowTable& table_;
  SocketHeaders& headers_;
  EndpointTimers& timers_;
  ApplicationCpu& cpu_;
  PacketPath& path_;
  const core::Scheduler& scheduler_;
  SendingTurns turns_;
};

}  // namespace overlane::run
