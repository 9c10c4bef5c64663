#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/flow_hash.h"
#include "sim/core/event_queue.h"
#include "sim/cost/path_cost.h"
#include "sim/host/machine.h"
#include "sim/run/inputs/run_options.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// One endpoint of a flow: connection number × 2, plus 1 for the server's endpoint.
using EndpointId = std::uint32_t;

using PacketId = std::uint32_t;
using CacheEntryId = std::uint32_t;
/// No packet, cache entry or header.
inline constexpr std::uint32_t kNone = ~0u;

/// A packet in one cache line. Its header is that of its cache entry, or its own (OwnHeader).
struct alignas(64) Packet {
  /// The use of a slot of PacketPool. A Read is not a packet: see PacketPool::add_read().
  enum class Kind : std::uint8_t { Free, Packet, Read };

  Picos at;                      ///< Time when its wait ends.
  Picos sent_at;                 ///< UDP: time when the sender's application sent it.
  PacketId next = kNone;         ///< Next packet of its queue.
  EndpointId sender = 0;         ///< Endpoint that sent it, or whose packet caused the ICMP error.
  std::uint32_t node = 0;        ///< Node where it is, or was last.
  std::uint32_t length = 0;      ///< Bytes of the outermost IP packet.
  std::uint32_t host_bytes = 0;  ///< Charged to the sender's send buffer or small queue until it
                                 ///< leaves the host.
  CacheEntryId cache_entry = kNone;
  std::uint32_t header = kNone;            ///< Number of its own header, if it has no cache entry.
  std::uint32_t group = 0;                 ///< Traffic group of its sender.
  std::uint16_t core = 0;                  ///< Core of `node` that works on it.
  std::uint16_t identification = 0;        ///< IPv4 identification of the inner header.
  std::uint16_t outer_identification = 0;  ///< IPv4 identification of the outer header.
  std::uint16_t packets = 1;               ///< Wire packets that GRO has merged into it.
  Kind kind = Kind::Free;
  std::uint8_t stage = 0;    ///< Number of decisions of its cache entry that were applied.
  std::uint8_t padding = 0;  ///< WireGuard's padding, part of `length`.
  forward::Egress egress = forward::Egress::Uplink;
  std::uint8_t spine = 0;  ///< Between racks: the spine that its flow hashes to.
  bool local = false;      ///< From one socket of the node to another.
  bool is_icmp : 1 = false;
  bool sampled : 1 = false;  ///< Decided anew at each stage, also by the byte path.
  bool steered : 1 = false;  ///< RPS has handed it to the core that works on it.
  bool is_tcp : 1 = false;   ///< It carries a TCP segment.
  /// The kernel handles it together with the packet before it, as one socket buffer.
  bool shares_buffer : 1 = false;
  bool in_burst : 1 = false;          ///< It follows another buffer of its stream directly.
  bool buffer_goes_on : 1 = false;    ///< The next packet of its buffer passes hypervisors together
                                      ///< with it.
  bool to_crypt : 1 = false;          ///< WireGuard encrypts or decrypts it next.
  bool in_order : 1 = false;          ///< WireGuard has encrypted or decrypted it and keeps its
                                      ///< order.
  bool checked_if_asked : 1 = false;  ///< Also decided by the byte path whenever a new decision is
                                      ///< made about it.

  cost::Arrival arrival() const {
    if (shares_buffer) return cost::Arrival::SharesBuffer;
    return in_burst ? cost::Arrival::InBurst : cost::Arrival::Alone;
  }
};
static_assert(sizeof(Packet) == 64);

/// Payload that an application reads from its socket, which takes time of its core.
struct Read {
  EndpointId reader = 0;
  std::uint32_t bytes = 0;
  Picos sent_at;  ///< UDP: time when the sender's application sent it.
};

/// The packets in flight, in reused slots. A core's queue also contains reads, so they have slots
/// here, too. References are valid until the next add().
class PacketPool {
 public:
  /// `packet` must not be in the pool.
  PacketId add(const Packet& packet) {
    return add_made([&] { return packet; });
  }
  /// Adds the packet that make() returns, constructed in place: copying a packet that was just
  /// written in parts would stall the processor (no store forwarding).
  template <typename Make>
  PacketId add_made(Make make) {
    const PacketId id = take_slot();
    new (&packets_[id]) Packet(make());
    return id;
  }
  /// Adds a read on `node`, which waits in a Pipe like a packet.
  PacketId add_read(const Read& read, std::uint32_t node) {
    return add_made([&] {
      return Packet{.sent_at = read.sent_at,
                    .sender = read.reader,
                    .node = node,
                    .length = read.bytes,
                    .kind = Packet::Kind::Read};
    });
  }
  bool is_read(PacketId id) const { return packets_[id].kind == Packet::Kind::Read; }
  /// Requires is_read().
  Read read(PacketId id) const {
    const Packet& slot = packets_[id];
    return {slot.sender, slot.length, slot.sent_at};
  }
  void remove(PacketId id) {
    packets_[id].kind = Packet::Kind::Free;
    packets_[id].next = free_;
    free_ = id;
  }
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }
  /// The TCP segment in a packet.
  transport::Segment& segment(PacketId id) { return segments_[id]; }
  /// All slots, used or not.
  const std::vector<Packet>& slots() const { return packets_; }

 private:
  PacketId take_slot() {
    if (free_ == kNone) [[unlikely]] {
      packets_.emplace_back();
      segments_.emplace_back();
      return static_cast<PacketId>(packets_.size() - 1);
    }
    const PacketId id = free_;
    free_ = packets_[id].next;
    return id;
  }

  std::vector<Packet> packets_;
  std::vector<transport::Segment> segments_;  ///< Separate, because datagrams do not touch them.
  PacketId free_ = kNone;
};

/// Packets that wait in one queue, in the order in which their waits end: a linked list through
/// Packet::next.
class Pipe {
 public:
  bool empty() const { return first_ == kNone; }
  PacketId first() const { return first_; }

  /// Adds a packet at the end. Returns true if it is the only one, so that it needs an event.
  bool push(PacketPool& packets, PacketId id) {
    packets[id].next = kNone;
    const bool alone = empty();
    if (alone)
      first_ = id;
    else
      packets[last_].next = id;
    last_ = id;
    return alone;
  }
  PacketId pop(PacketPool& packets) {
    const PacketId id = first_;
    first_ = packets[id].next;
    return id;
  }

  /// Takes out the packets that are on `node`, and appends them to `out`.
  void take_out(PacketPool& packets, std::uint32_t node, std::vector<PacketId>& out) {
    PacketId next = first_;
    first_ = kNone;
    while (next != kNone) {
      const PacketId id = next;
      next = packets[id].next;
      if (packets[id].node == node)
        out.push_back(id);
      else
        push(packets, id);
    }
  }

 private:
  PacketId first_ = kNone;
  PacketId last_ = kNone;
};

/// Observes packets at stops that no event shows: where they begin and end.
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

  virtual void see_lost(const Packet& packet, Drop reason) = 0;
};

// Which core of a machine handles a packet: one function for each rule.

/// RSS: the NIC picks a core by the hash of `flow`, which is that of the header that it hashes. It
/// has no ports if the packet does not show them.
inline std::uint16_t receive_core(FlowKey flow, bool is_udp, const host::Machine& machine) {
  if (is_udp && machine.udp_rss == host::UdpRss::TwoTuple)
    flow.source_port = flow.destination_port = 0;
  return static_cast<std::uint16_t>(flow_hash(flow) % host::receive_queues(machine));
}

/// RPS: the kernel picks a core by the hash of a buffer's inner flow, which `sender` represents.
inline std::uint16_t steered_core(EndpointId sender, std::size_t cores) {
  return static_cast<std::uint16_t>(murmur_mix(sender) % cores);
}

/// The scheduler picks a core for the application at one endpoint of a flow. `flow` has no protocol
/// here. Cores with a receive queue are avoided if others have none.
inline std::uint16_t application_core(const FlowKey& flow, const host::Machine& machine) {
  const std::uint32_t all = std::max(machine.cores, 1u);
  const std::uint32_t first = host::receive_queues(machine) % all;
  return static_cast<std::uint16_t>(first + flow_hash(flow) % (all - first));
}

/// WireGuard's core for the packets of a peer: peers are spread over the cores in turn
/// (wg_packet_tx_worker, wg_packet_rx_poll).
inline std::uint16_t peer_core(std::uint64_t peer, std::uint32_t cores) {
  return static_cast<std::uint16_t>(peer % cores);
}

/// WireGuard's core for the next packet to encrypt or decrypt (wg_cpumask_next_online).
inline std::uint32_t next_cipher_core(std::uint32_t last, std::uint32_t cores) {
  return (last + 1) % cores;
}

// A station is a place where packets wait: a queue for a core, a link, a limit or a delay, or a
// timer. The event that ends a wait names the station by its EventKind. Where the next station
// depends on the packet or the network, the station's code returns a Handoff with the next
// Entrance, and PacketPath lets the packet enter. Stations that always follow each other call each
// other in one direction. path/stations.h has the table of all stations.

/// Where a packet enters a station.
enum class Entrance : std::uint8_t {
  None,      ///< Nowhere: the packet waits, has reached its socket, has ended, or was a read.
  Cipher,    ///< WireGuard::crypt
  VethPair,  ///< VethPairs::enter
  VhostOut,  ///< Vhost::send
  Nic,       ///< Nics::enter
  Fabric,    ///< FabricPath::enter
  VhostIn,   ///< Vhost::receive
  Node,      ///< PacketPath::receive: ReceiveQueues::enter, or the node at once without CPU costs.
};

/// A packet that leaves a station, and where it goes.
struct [[nodiscard]] Handoff {
  PacketId id = kNone;
  Entrance to = Entrance::None;
};

/// The stations, by the event that ends a wait there. Events at one time happen in the order of
/// this list, which is part of the result.
enum class EventKind : std::uint8_t {
  Change,          ///< An actor acts.
  Poll,            ///< Node, core: the core takes what its NIC queue has received.
  CoreDone,        ///< Node, core: the core has finished with the first packet or read.
  Crypted,         ///< Node, core: WireGuard's cipher has finished a packet whose turn it is.
  Backlog,         ///< Node, core: the core takes what came through veth pairs.
  VhostSent,       ///< Node, queue: the hypervisor has copied a packet out of the guest.
  LocalDone,       ///< Node: a packet between two of its sockets has been copied.
  NicDone,         ///< Node: the last bit of a packet has left the NIC.
  FlowCap,         ///< Node, number of a flow: the cap on the flow lets a packet pass.
  Allowance,       ///< Node, direction: the node's allowance lets a packet pass.
  PortArrive,      ///< Node, fabric path: a packet that the node sent has crossed the fabric, or
                   ///< has reached its rack's leaf.
  LeafDone,        ///< Rack link: a packet has left its rack's leaf for the spine.
  SpineDone,       ///< Rack link: a packet has left the spine for the other leaf.
  PortDone,        ///< Node: the last bit of a packet has reached the NIC.
  VhostReceived,   ///< Node, queue: the hypervisor has copied a packet into the guest.
  NodeExpiry,      ///< Node: fragments that the node holds may have timed out.
  EndpointExpiry,  ///< Socket: fragments that its pod holds may have timed out.
  Timer,           ///< Socket: a transport's deadline, or the application's next turn.
};

/// core::Event::what, decoded: the kind of the station, the number of its node, link or socket, and
/// the part of that (core, queue, flow or direction).
struct StationEvent {
  EventKind kind = EventKind::Change;
  std::uint32_t subject = 0;
  std::uint16_t part = 0;

  static StationEvent of(const core::Event& event) {
    return {static_cast<EventKind>(event.what >> 48), static_cast<std::uint32_t>(event.what >> 16),
            static_cast<std::uint16_t>(event.what)};
  }
  std::uint64_t packed() const {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 48 | std::uint64_t{subject} << 16 |
           part;
  }
};

}  // namespace overlane::run
