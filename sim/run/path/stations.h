#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/run/path/packet_path.h"

namespace overlane::run {

// The path of a packet from socket to socket, station by station. A station is a place where
// packets wait. PacketPath::hand_over() lets a packet enter a station (Entrance); the event that
// ends its wait names the station (EventKind) and runs StationOf<kind>, which hands the packet over
// to the next entrance. forward() usually decides once on the sender's node, in the fabric and on
// the receiver's node each.
//
//   entrance   station: packets wait for                     event          next
//   ---------  --------------------------------------------  -------------  ----------------------
//   send()     HostStack: forward() on the sender's node     -              core
//   core       Cpu: their core, in HostStack::work()         CoreDone       Cipher; uplink_of():
//              or Cpu::read()                                               VethPair, VhostOut or
//                                                                           Nic; copy; socket
//   Cipher     WireGuard: the cipher and their turn          Crypted        core
//   copy       HostStack, between sockets of one node:       LocalDone      socket
//                the copy, in reach_socket()
//   VethPair   VethPairs: forward() in the fabric; a core    Backlog        core, as after Poll
//   VhostOut   Vhost: the copy out of the guest              VhostSent      Nic
//   Nic        Nics: their last bit to leave                 NicDone        Fabric
//   Fabric     FabricPath: forward() in the fabric;
//                the cloud's limit on one flow               FlowCap
//                the limit of the sending node               Allowance
//                the delay of the fabric                     PortArrive
//                RackLinks: the link to the spine            LeafDone
//                RackLinks: the link to the leaf             SpineDone
//                the limit of the receiving node             Allowance
//                Ports: their last bit to reach the NIC      PortDone       VhostIn or Node
//   VhostIn    Vhost: the copy into the guest                VhostReceived  Node
//   Node       ReceiveQueues: NAPI's poll; then HostStack:   Poll           core
//                forward() on the receiver's node
//   socket     Packets::arrive(): nothing                    -              Flows::arrive(), by
//                                                                           follow_packets()
//
// The other events concern no packet of the pool: Timer (TCP's deadlines, applications: send()),
// Change (actors and timed changes), and NodeExpiry and EndpointExpiry (HeldFragments, which are
// dropped; a node sends an ICMP error). A station without work is skipped: without CPU costs there
// is no CoreDone and no Poll, and a wait whose end nothing observes is no event (Ports::expect,
// Nics::send_ahead: the fabric then decides before the packet has left). visit_station() is the
// only switch over EventKind, PacketPath::hand_over() the only one over Entrance.

/// The node whose queues an event changes.
enum class EventNode : std::uint8_t {
  None,
  Subject,   ///< The event's subject.
  OfPacket,  ///< The node to which the first packet of the station is on its way.
  OfSocket,  ///< The node of the event's socket.
};

/// Where a tracer sees the first packet of a station.
struct TraceStop {
  TracePoint point{};
  std::uint32_t switch_number = 0;  ///< AtLeaf: the rack. AtSpine: the spine. From 0.
};

/// The first packets of a receive queue, which the event takes out of the queue.
struct QueuedPackets {
  const Pipe* queue = nullptr;
  std::uint32_t packets = 0;
};

/// The defaults of a station: its event concerns its subject, a node, and no single packet. first()
/// is the packet or read of the event, or kNone if it was lost with its node.
struct StationDefaults {
  static constexpr EventNode kNode = EventNode::Subject;

  static PacketId first(const PacketPath&, StationEvent) { return kNone; }
  static std::optional<TraceStop> stop(const PacketPath&, StationEvent) { return std::nullopt; }
  static QueuedPackets queued(const PacketPath&, StationEvent) { return {}; }
};

/// A station at which a tracer sees each packet.
template <TracePoint kPoint>
struct TracedStation : StationDefaults {
  static std::optional<TraceStop> stop(const PacketPath&, StationEvent) {
    return TraceStop{kPoint};
  }
};

/// run() executes the event. `Sockets` has timer(), expiry() and prefetch_receiver() (Flows).
template <EventKind kKind>
struct StationOf;

template <>
struct StationOf<EventKind::Change> : StationDefaults {
  static constexpr EventNode kNode = EventNode::None;

  /// Partitions::change() makes changes, between the events of the queue.
  template <typename Sockets>
  static void run(PacketPath&, Sockets&, StationEvent) {}
};

template <>
struct StationOf<EventKind::Poll> : StationDefaults {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.receive_queues().poll(event.subject, event.part);
  }
  static QueuedPackets queued(const PacketPath& path, StationEvent event) {
    const ReceiveQueue& queue = path.receive_queues()[event.subject][event.part];
    return {&queue.ring, std::min(queue.waiting, kPollBudget)};
  }
};

template <>
struct StationOf<EventKind::CoreDone> : TracedStation<TracePoint::Worked> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.hand_over(path.host_stack().core_done(event.subject, event.part));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.cpu().due(event.subject, event.part);
  }
};

template <>
struct StationOf<EventKind::Crypted> : TracedStation<TracePoint::Crypted> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.wireguard().crypted(event.subject, event.part);
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.wireguard().due(event.subject, event.part);
  }
};

template <>
struct StationOf<EventKind::Backlog> : StationDefaults {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.veths()->run_backlog(event.subject, event.part);
  }
  static QueuedPackets queued(const PacketPath& path, StationEvent event) {
    const VethPairs::Backlog& backlog = path.veths()->backlog(event.part);
    return {&backlog.ring, backlog.waiting};
  }
};

template <>
struct StationOf<EventKind::VhostSent> : TracedStation<TracePoint::Vhost> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.hand_over(path.vhost()->sent(event.subject, event.part));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.vhost()->due_out(event.subject, event.part);
  }
};

template <>
struct StationOf<EventKind::LocalDone> : TracedStation<TracePoint::Copied> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.host_stack().local_done(event.subject);
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.host_stack().due_copy(event.subject);
  }
};

template <>
struct StationOf<EventKind::NicDone> : TracedStation<TracePoint::OnWire> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.hand_over(path.nics().done(event.subject));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.nics().due(event.subject);
  }
};

template <>
struct StationOf<EventKind::FlowCap> : TracedStation<TracePoint::Admitted> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.fabric().flow_cap_passed(event.subject, event.part);
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.fabric().at_flow_cap(event.subject, event.part).first();
  }
};

template <>
struct StationOf<EventKind::Allowance> : TracedStation<TracePoint::Admitted> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.fabric().allowance_passed(event.subject, event.part);
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.fabric().at_allowance(event.subject, event.part).first();
  }
};

template <>
struct StationOf<EventKind::PortArrive> : TracedStation<TracePoint::Crossed> {
  static constexpr EventNode kNode = EventNode::OfPacket;

  template <typename Sockets>
  static void run(PacketPath& path, Sockets& sockets, StationEvent event) {
    sockets.prefetch_receiver(path.fabric().delay_passed(event.subject, event.part));
  }
  /// A packet to another rack has only reached the leaf of its own rack.
  static std::optional<TraceStop> stop(const PacketPath& path, StationEvent event) {
    const RackLinks* racks = path.fabric().racks();
    const std::uint32_t to = path.packets()[first(path, event)].node;
    if (racks == nullptr || racks->plan().share_rack(event.subject, to))
      return TraceStop{TracePoint::Crossed};
    return TraceStop{TracePoint::AtLeaf, racks->plan().rack_of(event.subject)};
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.fabric().in_delay(event.subject, event.part).first();
  }
};

template <>
struct StationOf<EventKind::LeafDone> : TracedStation<TracePoint::AtSpine> {
  static constexpr EventNode kNode = EventNode::OfPacket;

  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.fabric().leaf_done(event.subject);
  }
  static std::optional<TraceStop> stop(const PacketPath& path, StationEvent event) {
    return TraceStop{TracePoint::AtSpine, path.fabric().racks()->spine_of(event.subject)};
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.fabric().racks()->up(event.subject).pipe.first();
  }
};

template <>
struct StationOf<EventKind::SpineDone> : TracedStation<TracePoint::Crossed> {
  static constexpr EventNode kNode = EventNode::OfPacket;

  template <typename Sockets>
  static void run(PacketPath& path, Sockets& sockets, StationEvent event) {
    sockets.prefetch_receiver(path.fabric().spine_done(event.subject));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.fabric().racks()->down(event.subject).pipe.first();
  }
};

template <>
struct StationOf<EventKind::PortDone> : TracedStation<TracePoint::Received> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.hand_over(path.ports().done(event.subject));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.packets().due(path.ports()[event.subject].station.pipe);
  }
};

template <>
struct StationOf<EventKind::VhostReceived> : TracedStation<TracePoint::Vhost> {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    path.hand_over(path.vhost()->received(event.subject, event.part));
  }
  static PacketId first(const PacketPath& path, StationEvent event) {
    return path.vhost()->due_in(event.subject, event.part);
  }
};

template <>
struct StationOf<EventKind::NodeExpiry> : StationDefaults {
  template <typename Sockets>
  static void run(PacketPath& path, Sockets&, StationEvent event) {
    for (const Handoff error : path.host_stack().expire_fragments(event.subject))
      path.hand_over(error);
  }
};

template <>
struct StationOf<EventKind::EndpointExpiry> : StationDefaults {
  static constexpr EventNode kNode = EventNode::OfSocket;

  template <typename Sockets>
  static void run(PacketPath&, Sockets& sockets, StationEvent event) {
    sockets.expiry(event.subject);
  }
};

template <>
struct StationOf<EventKind::Timer> : StationDefaults {
  static constexpr EventNode kNode = EventNode::OfSocket;

  template <typename Sockets>
  static void run(PacketPath&, Sockets& sockets, StationEvent event) {
    sockets.timer(event.subject);
  }
};

/// Calls visit(StationOf<kind>()) for the station of an event, and returns its result.
template <typename Visit>
[[gnu::always_inline]] inline auto visit_station(EventKind kind, Visit visit) {
  switch (kind) {
    case EventKind::Change:
      return visit(StationOf<EventKind::Change>());
    case EventKind::Poll:
      return visit(StationOf<EventKind::Poll>());
    case EventKind::CoreDone:
      return visit(StationOf<EventKind::CoreDone>());
    case EventKind::Crypted:
      return visit(StationOf<EventKind::Crypted>());
    case EventKind::Backlog:
      return visit(StationOf<EventKind::Backlog>());
    case EventKind::VhostSent:
      return visit(StationOf<EventKind::VhostSent>());
    case EventKind::LocalDone:
      return visit(StationOf<EventKind::LocalDone>());
    case EventKind::NicDone:
      return visit(StationOf<EventKind::NicDone>());
    case EventKind::FlowCap:
      return visit(StationOf<EventKind::FlowCap>());
    case EventKind::Allowance:
      return visit(StationOf<EventKind::Allowance>());
    case EventKind::PortArrive:
      return visit(StationOf<EventKind::PortArrive>());
    case EventKind::LeafDone:
      return visit(StationOf<EventKind::LeafDone>());
    case EventKind::SpineDone:
      return visit(StationOf<EventKind::SpineDone>());
    case EventKind::PortDone:
      return visit(StationOf<EventKind::PortDone>());
    case EventKind::VhostReceived:
      return visit(StationOf<EventKind::VhostReceived>());
    case EventKind::NodeExpiry:
      return visit(StationOf<EventKind::NodeExpiry>());
    case EventKind::EndpointExpiry:
      return visit(StationOf<EventKind::EndpointExpiry>());
    case EventKind::Timer:
      return visit(StationOf<EventKind::Timer>());
  }
  __builtin_unreachable();  // StationEvent::of() decodes what packed() has encoded.
}

}  // namespace overlane::run
