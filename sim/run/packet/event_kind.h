#pragma once

#include <cstdint>

#include "sim/core/event_queue.h"

namespace overlane::run {

/// What an event means, and where it happens. Of what happens at the same time, the first listed
/// comes first.
enum class EventKind : std::uint8_t {
  Change,         ///< An actor acts.
  Poll,           ///< Node, core: it looks at what its NIC queue has received.
  CoreDone,       ///< Node, core: it has finished with what it got first.
  Crypted,        ///< Node, core: a packet is through WireGuard's cipher, and has its turn there.
  Backlog,        ///< Node, core: it goes on with what came through veth pairs.
  VhostSent,      ///< Node, queue: its hypervisor has copied a packet out of the guest.
  LocalDone,      ///< Node: a packet between two of its pods has been copied.
  NicDone,        ///< Node: the last bit of a packet has left the NIC.
  FlowCap,        ///< Node, number of a flow: its cap lets a packet pass.
  Allowance,      ///< Node, direction: its allowance lets a packet pass.
  PortArrive,     ///< Node, way: a packet that it sent has crossed the fabric.
  LeafDone,       ///< Link (RackLinks): a packet has left its rack's leaf for the spine.
  SpineDone,      ///< Link: a packet has left the spine for the other leaf.
  PortDone,       ///< Node: the last bit of a packet has reached the NIC.
  VhostReceived,  ///< Node, queue: its hypervisor has copied a packet into the guest.
  NodeExpiry,     ///< Node: fragments of packets may have run out of time.
  EndExpiry,      ///< End: the same in a pod.
  Timer,          ///< End: a transport's deadline or an application's next turn.
};

/// core::Event::what: the kind, the number of the node or end, and which of its parts.
struct What {
  EventKind kind = EventKind::Change;
  std::uint32_t subject = 0;
  std::uint16_t part = 0;

  static What of(const core::Event& event) {
    return {static_cast<EventKind>(event.what >> 48), static_cast<std::uint32_t>(event.what >> 16),
            static_cast<std::uint16_t>(event.what)};
  }
  std::uint64_t packed() const {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 48 | std::uint64_t{subject} << 16 |
           part;
  }
};

}  // namespace overlane::run
