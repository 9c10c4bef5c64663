#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dataplane/node/runtime/conntrack.h"
#include "sim/core/event_queue.h"
#include "sim/random/stream.h"
#include "sim/run/app/addresses.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/path/cpu.h"
#include "sim/transport/segment.h"
#include "sim/transport/tcp_connection.h"

namespace overlane::run {

// The data of a run's flows. A flow is the traffic between two applications in two pods: datagrams,
// a TCP stream, transfers, or requests and responses. It has two endpoints, the client
// (the sender of a stream) with an even EndpointId and the server (the receiver) with the next odd
// one; an Endpoint is a socket with the application behind it. A flow that opens a TCP connection
// per request has several connections, each with two endpoints of its own; they form a ring
// (Exchange::next), whose first connection, the origin, counts as the flow.
//
// FlowTable owns all of this. The run owns the FlowTable and all partitions share it: a partition
// changes only endpoints whose node it has, so the two endpoints of a flow never share a cache
// line. The classes that act on the data are listed in flows.h.

/// The TCP flags of a segment that connection tracking uses.
inline std::uint8_t tracked_flags(const transport::Segment& segment) {
  return static_cast<std::uint8_t>(
      (segment.syn ? node::kTrackedSyn : 0) | (segment.ack ? node::kTrackedAck : 0) |
      (segment.fin ? node::kTrackedFin : 0) | (segment.rst ? node::kTrackedRst : 0));
}

/// Size of a UDP socket's send and receive buffers (net.core.rmem_default, wmem_default).
inline constexpr std::int32_t kSocketBuffer = 212'992;
/// Bytes that Linux charges a datagram in addition to its payload (SKB_TRUESIZE).
inline constexpr std::int32_t kSocketBufferOverhead = 576;

/// Times at which an endpoint acts without a packet (EndpointTimers).
struct Timers {
  Picos turn = transport::kNever;   ///< The application acts.
  Picos armed = transport::kNever;  ///< Time of the pending Timer event.
  Picos spare = transport::kNever;  ///< Time of a second, superfluous Timer event.
};

/// A TCP socket: the connection, and the state that its host and its application keep about it.
struct TcpSocket : transport::TcpConnection {
  using TcpConnection::TcpConnection;

  /// Replaces the connection by a new one that is not open yet.
  void renew(std::shared_ptr<const Config> config) {
    static_cast<TcpConnection&>(*this) = TcpConnection(std::move(config));
  }
  /// The application has read all that the peer sent before it closed its side.
  bool is_at_end() const { return peer_closed() && consumed == received(); }

  Timers timers;
  std::int64_t consumed = 0;    ///< Bytes that the application has read.
  Picos sending_until;          ///< The core is busy with the last buffer until then.
  bool waits_for_core = false;  ///< Has more to send, at `sending_until`.
  bool heard_burst = false;     ///< The last payload followed other payload directly.
  std::uint16_t path_mtu = 0;   ///< From an ICMP error; 0 without one.
};

/// One endpoint of a flow: a socket in a pod or on a node, and the application behind it. TCP
/// state, timers and addresses are in FlowTable, so that a datagram touches half a cache line here.
struct alignas(32) Endpoint {
  static constexpr std::uint16_t kNoCore = 0xffff;

  std::int64_t packets = 0;        ///< Sent so far.
  std::int32_t unsent_memory = 0;  ///< Bytes of the send buffer that have not left the host.
  /// Bytes received that the application has not read: at most a window of a stream; datagrams
  /// count as in their socket's receive buffer.
  std::int32_t unread = 0;
  std::uint32_t node = 0;
  std::uint16_t core = 0;                ///< Core of the application, but see application_core().
  std::uint16_t receive_core = kNoCore;  ///< Core that received the last packet for it.
  std::uint16_t identification = 0;      ///< IPv4 identification of the next packet.
  std::uint16_t reads : 15 = 0;          ///< Pending reads of the application; 0: it sleeps.
  std::uint16_t has_read : 1 = false;    ///< The application has read something.
  std::uint16_t peer_version = 1;        ///< Version of its headers (SocketHeaders); never 0.
  bool is_ipv4 : 1 = true;
  bool blocked : 1 = false;  ///< UDP: the application waits for room in the send buffer.
  bool is_tcp : 1 = false;   ///< It has a TcpSocket.
  bool away : 1 = false;     ///< Its pod or node does not run. Set in the first connection only.
  /// Step from one identification to the next, as a power of two: other endpoints of the pod may
  /// use the numbers between.
  std::uint8_t identification_bits : 4 = 0;
  std::uint8_t state_epoch : 7 = 0;  ///< SocketHeaders::state_epoch() of its last packet.
  bool gone : 1 = false;             ///< The socket is closed: it neither sends nor receives.

  std::uint16_t next_identification() {
    const std::uint16_t next = identification;
    identification = static_cast<std::uint16_t>(next + (1u << identification_bits));
    return next;
  }
  std::uint8_t ip_header() const {
    return is_ipv4 ? transport::kIpv4Header : transport::kIpv6Header;
  }
  /// Core on which the application runs. The scheduler avoids the core that receives for it and
  /// that core's sibling thread, so that a single flow uses two cores in every variant, independent
  /// of the hashes. On a machine that its node shares with others the application does not migrate.
  std::uint32_t application_core(const NodeCores& machine) const {
    if (receive_core == kNoCore || machine.is_shared) return core;
    const auto cores = std::max(static_cast<std::uint32_t>(machine.cores.size()), 1u);
    const bool shares = core == receive_core ||
                        (machine.sibling != 0 && (core + machine.sibling) % cores == receive_core);
    return shares ? (core + 1) % cores : core;
  }
};

static_assert(sizeof(Endpoint) == 32);

/// A connection: the sending application and its endpoint. It has two cache lines of its own, since
/// the other endpoint may be in another partition.
struct alignas(64) Flow {
  std::uint32_t group = 0;
  std::uint32_t number = 0;    ///< Number of the flow within its group.
  DatagramTimes::State times;  ///< For UDP streams.
  RandomStream random;         ///< Random numbers of the sending application.

  Timers timers;    ///< UDP: timers of the client; servers have none.
  Endpoint client;  ///< Client, or sender.
};
static_assert(sizeof(Flow) == 128);

/// Requests or transfers of an application on one connection. An application that opens one
/// connection after the other has several, since a connection may still be closing when the next
/// one opens. They form a ring in order of age, in which the oldest follows the newest
/// (ConnectionChurn).
struct Exchange {
  std::int64_t turns = 0;      ///< Requests or transfers on this connection.
  std::int64_t answered = 0;   ///< Requests that the server has read.
  std::int64_t finished = 0;   ///< Requests answered, or transfers read.
  Picos request_at;            ///< Start of the last request or transfer.
  std::int64_t due = 0;        ///< TCP transfers: position in the stream where the last one ends.
  std::int64_t unwritten = 0;  ///< Bytes to write when the connection is established.
  std::uint32_t origin = 0;    ///< First connection of the ring, which counts as the flow.
  std::uint32_t next = 0;      ///< Next connection of the ring.
  std::uint32_t newest = 0;    ///< In the origin: the connection that the application uses.
  bool asking = false;         ///< A request or transfer is under way.
  bool lacked_ports = false;   ///< In the origin: all source ports were in TIME-WAIT.
};

/// All flows of a run, followed by the other connections of their rings.
struct FlowTable {
  std::span<const TrafficGroup> traffic;
  std::size_t initial = 0;  ///< Flows with which the run began: each has its first connection here.
  std::vector<Flow> flows;
  std::vector<Endpoint> servers;  ///< Server, or receiver, of each flow.
  /// TCP socket of each endpoint, or null. Empty without TCP.
  std::vector<std::unique_ptr<TcpSocket>> tcp;
  std::vector<Exchange> exchanges;  ///< One per flow; empty if all flows are streams of datagrams.
  SocketTable sockets;
  std::vector<EphemeralPorts> ports;  ///< One per flow, if any flow opens several connections.

  Endpoint& end(EndpointId id) { return id % 2 == 0 ? flows[id / 2].client : servers[id / 2]; }
  const Endpoint& end(EndpointId id) const {
    return id % 2 == 0 ? flows[id / 2].client : servers[id / 2];
  }
  Flow& flow_of(EndpointId id) { return flows[id / 2]; }
  const Flow& flow_of(EndpointId id) const { return flows[id / 2]; }
  const TrafficGroup& group_of(EndpointId id) const { return traffic[flows[id / 2].group]; }
  bool is_on_node(EndpointId id) const { return group_of(id).is_on_node(id % 2 == 1); }
  /// Requires that the endpoint has a TCP socket.
  TcpSocket& socket(EndpointId id) { return *tcp[id]; }
  /// Null if the endpoint has no TCP socket.
  const TcpSocket* tcp_of(EndpointId id) const { return end(id).is_tcp ? tcp[id].get() : nullptr; }
  /// Whether the application may act by itself: a server of datagrams only answers.
  bool has_turn(EndpointId id) const { return end(id).is_tcp || id % 2 == 0; }
  /// Requires has_turn().
  Timers& timers(EndpointId id) {
    return end(id).is_tcp ? socket(id).timers : flows[id / 2].timers;
  }

  /// Flows with which the run began: the first connection of each.
  std::span<const Flow> all() const { return std::span(flows).first(initial); }
  /// Requires that not all flows are streams of datagrams.
  Exchange& exchange(EndpointId id) { return exchanges[id / 2]; }
  /// Null if all flows are streams of datagrams.
  const Exchange* exchange_of(std::uint32_t connection) const {
    return exchanges.empty() ? nullptr : &exchanges[connection];
  }
  /// The flow of a connection: the number of its first connection.
  std::uint32_t origin_of(std::uint32_t connection) const {
    return exchanges.empty() ? connection : exchanges[connection].origin;
  }
  /// The connection that the application of a flow uses, or used last.
  std::uint32_t newest_of(std::uint32_t flow) const {
    return exchanges.empty() ? flow : exchanges[flow].newest;
  }
  /// The next connection of the ring.
  std::uint32_t next_of(std::uint32_t connection) const {
    return exchanges.empty() ? connection : exchanges[connection].next;
  }

  /// Packets sent by nodes themselves, without a veth.
  std::int64_t sent_by_nodes() const;
  /// Datagrams sent by the clients of each UDP group; 0 for other groups.
  std::vector<std::int64_t> datagrams_by_group() const;
};

/// Timer events of endpoints: the next action of an application, the deadlines of TCP
/// (retransmission, delayed acknowledgement, pacing; inet_csk and the fq timer in Linux), and the
/// time at which a core has sent the last buffer. An endpoint has one pending event for the
/// earliest of them. The event queue cannot cancel: an event that is no longer needed stays as a
/// spare and is used again when it is early enough. One partition owns an EndpointTimers and is its
/// only user.
class EndpointTimers {
 public:
  /// Referenced arguments must outlive this object.
  EndpointTimers(FlowTable& table, core::Scheduler& scheduler)
      : table_(table), scheduler_(scheduler) {}

  /// Schedules a Timer event for the next deadline of an endpoint, unless one is early enough.
  void arm(EndpointId id);
  /// A Timer event happens now: returns whether the endpoint still needs it.
  bool take(EndpointId id) {
    const Picos now = scheduler_.now();
    Timers& timers = table_.timers(id);
    if (timers.armed == now) {
      timers.armed = transport::kNever;
      return true;
    }
    if (timers.spare == now) timers.spare = transport::kNever;
    return false;
  }

 private:
  FlowTable& table_;
  core::Scheduler& scheduler_;
};

// The flows of a run when it begins: sockets, addresses, source ports, cores and the time of each
// application's first turn, from the traffic groups and random streams of the run's seed. The two
// functions below make_flows() derive the MTU and the destination of a socket from the states; the
// run calls them again when it replaces a connection or a pod.

/// Makes the flows of `traffic` on `network`, numbered through all groups. `traffic` must
/// outlive the table.
FlowTable make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options);

/// MTU of the path to the socket's peer, as the socket on this node knows it, bytes.
std::uint32_t mtu_of(const node::NodeState& state, const SocketAddresses& socket, bool on_node);

/// Address and port to which the client of a flow sends: those of `server`, or those of the Service
/// in front of it.
node::Endpoint asked_by(const TrafficGroup& group, const ServiceFronts& fronts, const Flow& flow,
                        const SocketAddresses& server);

}  // namespace overlane::run
