#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/node/runtime/conntrack_tcp.h"
#include "sim/random/stream.h"
#include "sim/run/app/addresses.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/path/cpu.h"
#include "sim/transport/segment.h"
#include "sim/transport/tcp_connection.h"

namespace overlane::run {

/// The flags of a segment that connection tracking looks at.
inline std::uint8_t tracked_flags(const transport::Segment& segment) {
  return static_cast<std::uint8_t>(
      (segment.syn ? node::kTrackedSyn : 0) | (segment.ack ? node::kTrackedAck : 0) |
      (segment.fin ? node::kTrackedFin : 0) | (segment.rst ? node::kTrackedRst : 0));
}

/// net.core.rmem_default and wmem_default, and what Linux charges a datagram besides its payload
/// (SKB_TRUESIZE).
inline constexpr std::int32_t kSocketBuffer = 212'992;
inline constexpr std::int32_t kSocketBufferOverhead = 576;

/// When an end does something of its own accord.
struct Timers {
  Picos turn = transport::kNever;   ///< Its application.
  Picos armed = transport::kNever;  ///< Of the pending Timer event.
  Picos spare = transport::kNever;  ///< Of a second pending Timer event, set before that one.
};

/// A TCP socket: the connection, and what its host and its application know of it.
struct TcpSocket : transport::TcpConnection {
  using TcpConnection::TcpConnection;

  /// Another connection, which has not begun, in place of this one.
  void renew(std::shared_ptr<const Config> config) {
    static_cast<TcpConnection&>(*this) = TcpConnection(std::move(config));
  }
  /// The application has read all that the peer sent before it closed its side.
  bool is_at_end() const { return peer_closed() && consumed == received(); }

  Timers timers;
  std::int64_t consumed = 0;    ///< Bytes that the application has read.
  Picos sending_until;          ///< The core is busy with the last buffer until then.
  bool waits_for_core = false;  ///< Has more to send, at `sending_until`.
  bool heard_burst = false;     ///< The last payload came directly behind other payload.
  std::uint16_t path_mtu = 0;   ///< What an ICMP error said; 0 when none did.
};

/// One end of a flow: a socket in a pod and the application behind it. What TCP adds, its timers
/// and its addresses are elsewhere (FlowTable): datagrams touch half a cache line.
struct alignas(32) Endpoint {
  static constexpr std::uint16_t kNoCore = 0xffff;

  std::int64_t packets = 0;        ///< Sent so far.
  std::int32_t unsent_memory = 0;  ///< Of the sending socket, still in its own host.
  /// Bytes on their way to the application: of a stream, at most a window; of datagrams, as their
  /// socket's buffer counts them.
  std::int32_t unread = 0;
  std::uint32_t node = 0;
  std::uint16_t core = 0;                ///< Where the application would run by itself.
  std::uint16_t receive_core = kNoCore;  ///< Where the last packet for it was received.
  std::uint16_t identification = 0;      ///< Of the next packet.
  std::uint16_t reads : 15 = 0;          ///< That its application has yet to do; 0: it sleeps.
  std::uint16_t has_read : 1 = false;    ///< Its application, anything.
  std::uint16_t peer_version = 1;        ///< Of the peer that the SocketTable has; never 0.
  bool is_ipv4 : 1 = true;
  bool blocked : 1 = false;  ///< UDP: the application waits for room in that socket.
  bool is_tcp : 1 = false;   ///< It has a TcpSocket.
  bool away : 1 = false;     ///< Of a flow's first connection: its pod, or its node, is not there.
  /// From one identification to the next, as a power of two: others may have those between.
  std::uint8_t identification_bits : 4 = 0;
  std::uint8_t state_epoch : 7 = 0;  ///< Flows::state_epoch_ when it sent its last packet.
  bool gone : 1 = false;             ///< Its pod has ended: it sends nothing, and takes nothing.

  std::uint16_t next_identification() {
    const std::uint16_t next = identification;
    identification = static_cast<std::uint16_t>(next + (1u << identification_bits));
    return next;
  }
  std::uint8_t ip_header() const {
    return is_ipv4 ? transport::kIpv4Header : transport::kIpv6Header;
  }
  /// Where the application runs: the scheduler keeps it off the core that receives for it, and off
  /// that core's other thread, so that a single flow has two cores in every variant, whatever the
  /// hashes say. On a machine that its node shares with others the application stays where it is.
  std::uint32_t application_core(const NodeCores& machine) const {
    if (receive_core == kNoCore || machine.is_shared) return core;
    const auto cores = std::max(static_cast<std::uint32_t>(machine.cores.size()), 1u);
    const bool shares = core == receive_core ||
                        (machine.sibling != 0 && (core + machine.sibling) % cores == receive_core);
    return shares ? (core + 1) % cores : core;
  }
};

static_assert(sizeof(Endpoint) == 32);

/// A connection: the application that sends, and its end. Two cache lines, apart from what the
/// other end touches, which may be in another partition.
struct alignas(64) Flow {
  std::uint32_t group = 0;
  std::uint32_t number = 0;    ///< Of the flow within its group.
  DatagramTimes::State times;  ///< UDP.
  RandomStream random;         ///< Of the sender's application.

  Timers timers;    ///< UDP: the client's; servers have none.
  Endpoint client;  ///< Or sender.
};
static_assert(sizeof(Flow) == 128);

/// What the application has asked for on a connection. One that opens connection after connection
/// has several, as each may still be closing when the next is opened: they stand in a circle, the
/// newest in front of the oldest, and the application goes from one to the next.
struct Exchange {
  std::int64_t turns = 0;      ///< Requests or transfers on this connection.
  std::int64_t answered = 0;   ///< Requests that the server has read.
  std::int64_t finished = 0;   ///< Requests answered, or transfers read.
  Picos request_at;            ///< When the last request or transfer began.
  std::int64_t due = 0;        ///< TCP transfers: where in the stream the last one ends.
  std::int64_t unwritten = 0;  ///< Until the connection stands.
  std::uint32_t origin = 0;    ///< The first of the circle, which counts as the flow.
  std::uint32_t next = 0;      ///< In the circle.
  std::uint32_t newest = 0;    ///< Of the origin: where the application is.
  bool asking = false;         ///< A request or transfer is under way.
  bool lacked_ports = false;   ///< Of the origin: every source port was in TIME-WAIT.
};

/// All flows of a run.
struct FlowTable {
  std::vector<Flow> flows;
  std::vector<Endpoint> servers;  ///< Of each: its server, or receiver.
  /// Of each end, if it is TCP; none where no flow is.
  std::vector<std::unique_ptr<TcpSocket>> tcp;
  std::vector<Exchange> exchanges;  ///< Of each; none where all flows are streams of datagrams.
  SocketTable sockets;
  std::vector<EphemeralPorts> ports;  ///< Of each, if any opens connection after connection.

  Endpoint& end(EndpointId id) { return id % 2 == 0 ? flows[id / 2].client : servers[id / 2]; }
  const Endpoint& end(EndpointId id) const {
    return id % 2 == 0 ? flows[id / 2].client : servers[id / 2];
  }
};

}  // namespace overlane::run
