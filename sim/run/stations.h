#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/fifo_server.h"
#include "sim/cost/path_cost.h"
#include "sim/host/frame.h"
#include "sim/run/flight.h"
#include "sim/run/run.h"

namespace overlane::run {

/// A server, and what has been accepted by it.
struct Station {
  core::FifoServer server;
  Pipe pipe;
};

/// The last datagram that an idle NIC began to send at once: it has no event of its own.
struct SentAtOnce {
  EndId sender = kNone;
  std::uint32_t host_bytes = 0;  ///< Flight::host_bytes …
  Picos until;                   ///< … until then.
};

/// Packets that one poll takes at most (NAPI_POLL_WEIGHT, include/linux/netdevice.h).
inline constexpr std::uint32_t kPollBudget = 64;

/// What a NIC has received for one core. As NAPI does it, an interrupt begins a poll, which takes
/// what is there up to its budget; what comes meanwhile the next poll takes without an interrupt.
struct ReceiveQueue {
  Pipe ring;
  std::uint32_t waiting = 0;
  bool poll_due = false;     ///< A Poll event is pending.
  bool interrupted = false;  ///< An interrupt begins that poll.
  Picos quiet_until;         ///< No interrupt before: the NIC moderates them.
  bool exhausted = false;    ///< The last poll took all that a poll may, so the core goes on.
};

/// Ways through the fabric that take one time each, and keep the order of what takes them.
inline constexpr std::uint16_t kWithinZone = 0;
inline constexpr std::uint16_t kAcrossZones = 1;

struct Way {
  Pipe pipe;
  Picos last;  ///< When what took it last arrives.
};

/// WireGuard's packets of the peers that one core serves: any core encrypts and decrypts them, that
/// one hands them on in order.
struct SealedOrder {
  Pipe pipe;
  Picos last;                 ///< When the last of them is through the cipher.
  std::uint32_t waiting = 0;  ///< With those that the core has not handed on.
};

/// The stations of one node: a cache line of what leaves it, one more of that, one of what comes.
struct alignas(64) NodeStations {
  host::Link link;  ///< The NIC's, both ways.
  Station nic;      ///< The NIC's transmit queue and link.
  SentAtOnce sent_at_once;
  std::array<Way, 2> ways;
  /// What packets cost there; null where CPU time is free.
  std::shared_ptr<const cost::PathCosts> costs;
  Station port;    ///< The fabric's last link, to this node's NIC.
  Station memory;  ///< What packets between pods of this node share.
  std::vector<Station> cores;
  std::vector<ReceiveQueue> queues;  ///< One for each core.
  std::vector<SealedOrder> sealed;   ///< One for each core.
  std::uint32_t last_crypt = 0;      ///< The core whose turn to encrypt or decrypt it was last.
};

/// The stations of every node.
std::vector<NodeStations> make_stations(const Network& network);

}  // namespace overlane::run
