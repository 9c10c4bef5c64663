#pragma once

#include <cstdint>

namespace overlane::run {

/// What an event means, and what its subject is.
enum class EventKind : std::uint32_t {
  Change,      ///< Number of a TimedChange.
  CoreDone,    ///< Flight: a core has finished with it.
  NicDone,     ///< Flight: its last bit has left the NIC.
  PortArrive,  ///< Flight: it has crossed the fabric.
  PortDone,    ///< Flight: its last bit has reached the NIC.
  Deliver,     ///< Flight: it comes out of the pod's veth.
  NodeExpiry,  ///< Node: pieces of packets may have run out of time.
  EndExpiry,   ///< End: the same in a pod.
  Read,        ///< End: the application has read what came in first.
  Timer,       ///< End: a transport's deadline or an application's next turn.
};

}  // namespace overlane::run
