#pragma once

#include <cstdint>
#include <utility>

#include "sim/run/app/addresses.h"
#include "sim/run/app/application_cpu.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/app/flow.h"
#include "sim/run/decide/decisions.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// Headers of the packets that each socket sends: its addresses and ports. Packets of one socket
/// share cached decisions (Decisions), and a received packet is compared with its socket only once
/// per cache entry (Decisions::settle); both are valid until the headers change. Each partition
/// owns a copy of all addresses, because it reads the addresses of both endpoints of a flow; it
/// changes the addresses of its own endpoints only.
class SocketHeaders {
 public:
  /// Referenced arguments must outlive this object. `addresses`: those of all endpoints when the
  /// run begins.
  SocketHeaders(FlowTable& table, SocketTable addresses, Decisions& decisions)
      : table_(table), addresses_(std::move(addresses)), decisions_(decisions) {}

  SocketAddresses operator[](EndpointId id) const { return addresses_[id]; }
  /// Adds the next endpoint.
  void add() { addresses_.add({}); }
  /// Sets the addresses of a socket. Requires that invalidate() follows before it sends or
  /// receives.
  void set(EndpointId id, const SocketAddresses& socket) { addresses_.set(id, socket); }
  /// Sets the destination of the socket's next packets.
  void set_peer(EndpointId id, IpAddress address, std::uint16_t port) {
    SocketAddresses socket = addresses_[id];
    socket.peer = address;
    socket.peer_port = port;
    addresses_.set(id, socket);
    invalidate(id);
  }
  /// The headers of the socket change: decisions about its packets are no longer valid.
  void invalidate(EndpointId id) {
    Endpoint& end = table_.end(id);
    if (++end.peer_version == 0) end.peer_version = 1;  // 0: never settled.
    decisions_.forget_cached(id);
  }

  /// Number of changes of the states so far, modulo 128: the first packet of an endpoint after a
  /// change is a candidate for the byte path.
  std::uint8_t state_epoch() const { return state_epoch_; }
  void begin_state_epoch() { state_epoch_ = static_cast<std::uint8_t>((state_epoch_ + 1u) % 128); }

  /// Prefetches the cache lines that the next packet of an endpoint reads first.
  [[gnu::always_inline]] void prefetch(EndpointId id) const {
    if (!decisions_.prefetch_cached(id)) addresses_.prefetch(id);
  }

 private:
  FlowTable& table_;
  SocketTable addresses_;
  Decisions& decisions_;
  std::uint8_t state_epoch_ = 0;
};

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

  /// Whether the send buffer of a UDP socket is full. If so, left_host() gives the application its
  /// next turn when half of the buffer is free.
  bool blocks(EndpointId id);
  void send_datagram(EndpointId id, std::uint32_t payload);
  /// Sends what a TCP connection has to send while its core has time: one buffer after the other,
  /// each with the bytes that became ready while the core worked on the buffer before. Arms the
  /// endpoint's timers.
  void pump(EndpointId id);
  /// Sends a RST in answer to a segment for which the socket has no state.
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
