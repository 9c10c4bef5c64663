#pragma once

#include <cstdint>

#include "sim/core/event_queue.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

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

/// The stations, by the event that ends a wait there. Events at one time happen in this order,
/// which is part of the result.
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
/// the part of that (core, queue, flow, direction).
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
