#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/core/fifo_server.h"
#include "sim/cost/path_cost.h"
#include "sim/host/frame.h"
#include "sim/run/inputs/network.h"
#include "sim/run/packet/packet_in_flight.h"
#include "sim/run/packet/port.h"

namespace overlane::run {

/// A server and the packets that it accepted.
struct Station {
  core::FifoServer server;
  Pipe pipe;
};

/// The last datagram that an idle NIC began to send at once: it has no event of its own.
struct SentAtOnce {
  EndId sender = kNone;
  std::uint32_t host_bytes = 0;  ///< PacketInFlight::host_bytes …
  Picos until;                   ///< … until then.
};

/// Packets that one poll takes at most (NAPI_POLL_WEIGHT, include/linux/netdevice.h).
inline constexpr std::uint32_t kPollBudget = 64;

/// Packets received for one core, by a NIC or through veth pairs. As in NAPI, an interrupt starts a
/// poll, which takes packets up to its budget; the next poll takes later arrivals without an
/// interrupt.
struct ReceiveQueue {
  Pipe ring;
  std::uint32_t waiting = 0;
  bool poll_due = false;     ///< A Poll event is pending.
  bool interrupted = false;  ///< An interrupt begins that poll.
  Picos behind;              ///< Veth: what the core does after the next poll.
  Picos quiet_until;         ///< No interrupt before: the NIC moderates them.
  /// Until then the core goes on without an interrupt: the last poll took all that one may.
  Picos goes_on_until = kNotAtAll;

  static constexpr Picos kNotAtAll{-1};
};

/// A node's packets on fabric paths with one delay.
struct DelayLine {
  Pipe pipe;   ///< Unless it is in its port's list of arrivals.
  Picos last;  ///< When what took it last arrives.
};

/// WireGuard packets of the peers that one core serves: any core encrypts and decrypts them, that
/// one forwards them in order.
struct SealedOrder {
  Pipe pipe;
  Picos last;                 ///< When the last of them is through the cipher.
  std::uint32_t waiting = 0;  ///< With those that the core has not handed on.
};

/// The cores of a machine and their receive queues.
struct Cores {
  std::vector<Station> cores;
  std::vector<ReceiveQueue> queues;
};

/// What two hardware threads of one core get done together, over what one does alone, is 1.25: each
/// takes 8/5 of the time (Marr et al., "Hyper-Threading Technology Architecture and
/// Microarchitecture", Intel Technology Journal 6(1), 2002: up to 1.3).
inline constexpr std::int64_t kSharedNumerator = 8;
inline constexpr std::int64_t kSharedDenominator = 5;

/// The stations of one node. Layout: two cache lines for sending, one for receiving.
struct alignas(64) NodeStations {
  host::Link link;  ///< The NIC's, both ways.
  Station nic;      ///< The NIC's transmit queue and link.
  SentAtOnce sent_at_once;
  std::array<DelayLine, 2> delay_lines;
  /// What packets cost there; null where CPU time is free.
  std::shared_ptr<const cost::PathCosts> costs;
  Port port;
  Station memory;                  ///< What packets between pods of this node share.
  std::shared_ptr<Cores> machine;  ///< What `cores` and `queues` are of; maybe of others, too.
  std::span<Station> cores;
  std::span<ReceiveQueue> queues;   ///< One for each core.
  std::vector<SealedOrder> sealed;  ///< One for each core.
  std::vector<EndId> refused;       ///< The NIC's queue had no room for the last buffer of theirs.
  std::uint32_t last_crypt = 0;     ///< The core whose turn to encrypt or decrypt it was last.
  std::uint32_t sibling = 0;        ///< How far away a core's other thread is; 0: it has none.

  /// Lets a core work for `time`, longer where its other thread is busy at `now`. The answer is
  /// when it is done.
  Picos occupy(std::uint32_t core, Picos now, Picos time) {
    core::FifoServer& server = cores[core].server;
    if (sibling != 0 && cores[(core + sibling) % cores.size()].server.free_at() > now)
      time.count = time.count * kSharedNumerator / kSharedDenominator;
    return server.occupy(now, time);
  }
};

/// The stations of every node.
std::vector<NodeStations> make_stations(const Network& network);

}  // namespace overlane::run
