#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// A controller, agent or operator that changes a run's states while packets are in flight: a small
/// state machine that acts at its own times. Actors communicate through objects that they share.
class Actor {
 public:
  virtual ~Actor() = default;

  /// Time of its next act; nullopt if it does not act by itself. Another actor may change it.
  virtual std::optional<Picos> next() const = 0;
  /// Acts at next(), before all other events at that time. next() must be later afterwards.
  virtual void act(node::WorldEditor& world, Picos now) = 0;
};

/// Makes the actors of one run. Each draws its random times from its own stream of
/// StreamUse::Actors and this seed. Actors that are due at one time act in this order.
using MakeActors = std::function<std::vector<std::unique_ptr<Actor>>(std::uint64_t seed)>;

/// Progress of a run for other threads. The run writes it every kLookEvery events, and ends early
/// when `stop` is true, which does not affect earlier events.
struct Watch {
  const std::atomic<bool>* stop = nullptr;   ///< Null: no stop.
  std::atomic<std::int64_t> simulated_ps{};  ///< Since the beginning of the run.
  std::atomic<std::int64_t> packets{};       ///< Sent so far, as in model::PacketCounts.

  void show(Picos simulated, std::int64_t packets_sent) {
    simulated_ps.store(simulated.count, std::memory_order_relaxed);
    packets.store(packets_sent, std::memory_order_relaxed);
  }
  bool asks_to_stop() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Events between two updates of a Watch: at most about a millisecond of wall-clock time.
inline constexpr std::int64_t kLookEvery = 4096;

/// A stop at which a packet is observed.
enum class TracePoint : std::uint8_t {
  Sent,       ///< A socket has sent it.
  Worked,     ///< A core has finished its work on it.
  Crypted,    ///< WireGuard's cipher has finished it; the core of its peer works on it now.
  Vhost,      ///< The hypervisor has copied it out of the guest or into the guest.
  Copied,     ///< It was copied from one socket of the node to another.
  OnWire,     ///< Its last bit has left the node's NIC.
  Admitted,   ///< A cap or an allowance of the cloud has let it pass.
  AtLeaf,     ///< It has reached the leaf of its rack, and goes on to another rack.
  AtSpine,    ///< Its last bit has reached the spine.
  Crossed,    ///< It has crossed the fabric to the link in front of the receiving node.
  Received,   ///< Its last bit has reached the receiving node's NIC.
  Polled,     ///< A core takes it out of its receive ring.
  Merged,     ///< GRO has put it into the buffer of a segment before it.
  Held,       ///< A fragment waits for the rest of its packet.
  Delivered,  ///< To its socket, or to the node itself.
  Dropped,
  Read,  ///< An application has read payload.
};

/// State of a TCP sender when it sent a segment.
struct SenderState {
  std::int64_t congestion_window = 0;  ///< Bytes.
  std::int64_t in_flight = 0;          ///< Bytes sent and not acknowledged, including this segment.
  Picos smoothed_rtt;                  ///< 0: not measured yet.
  std::int64_t retransmissions = 0;    ///< Retransmissions so far.
};

/// One packet at one stop. Pointers are valid during the call.
struct TraceEvent {
  TracePoint stop = TracePoint::Sent;
  Picos at;
  Picos waited;              ///< Time since its previous stop; 0 at the first.
  std::uint32_t group = 0;   ///< Traffic group of the flow, by position.
  std::uint32_t flow = 0;    ///< Number of the flow in its group.
  std::uint32_t end = 0;     ///< EndpointId of the sender or, for Read, of the reader.
  bool backward = false;     ///< From the server (or receiver) to the client (or sender).
  std::uint64_t packet = 0;  ///< Number of the packet during the run, from 1. Read: 0.
  std::uint32_t node = 0;
  std::uint16_t core = 0;
  std::uint32_t switch_number = 0;  ///< AtLeaf: number of the rack. AtSpine: of the spine. From 0.
  bool on_node = false;     ///< Sent, Delivered, Read: the socket is on the node, not in a pod.
  std::uint32_t bytes = 0;  ///< Bytes of the outermost IP packet, or of all merged ones; Read:
                            ///< payload.
  const forward::Packet* header = nullptr;      ///< Null for Read, and for a fragment that was
                                                ///< never made.
  const transport::Segment* segment = nullptr;  ///< Null without TCP.
  std::optional<SenderState> sender;            ///< Set at Sent, for TCP.
  std::optional<Drop> drop;
};

/// An observer of the packets of some flows. It changes no result.
struct TraceOptions {
  std::function<bool(std::uint32_t group, std::uint32_t flow)> follows;
  std::function<void(const TraceEvent&)> see;
};

/// A change of the states at one time. It takes effect before all other events at that time;
/// changes at one time take effect in the given order.
struct TimedChange {
  Picos at;
  std::function<void(node::WorldEditor& editor)> apply;
};

/// A node that is stopped until a TimedChange starts it at this time. Flows from and to the node
/// start at that time.
struct NodeJoin {
  std::uint32_t node = 0;
  Picos at;
};

/// Options of the time series of a run.
struct SeriesOptions {
  Picos interval;          ///< > 0.
  bool each_node = false;  ///< Series per node, in addition to all nodes together.
  // Settings of one run: its times, seed, changes and actors, observers, and how it is executed.
};

struct RunOptions {
  Picos duration = milliseconds(100);
  Picos warm_up{};  ///< Shorter than `duration`.
  std::uint64_t seed = 1;
  /// Flows start at random moments in [0, start_spread).
  Picos start_spread = milliseconds(1);
  /// Clients of udp groups send nothing from this time on; packets in flight still arrive.
  Picos datagrams_end{INT64_MAX};
  std::vector<TimedChange> changes;
  std::vector<NodeJoin> joins;
  MakeActors actors;  ///< Empty: only `changes`.
  /// Whether decisions are cached. If not, the run is slower, with the same result.
  bool keep_decisions = true;
  std::int64_t max_events = INT64_MAX;  ///< The run ends early after this many events.
  Watch* watch = nullptr;               ///< Null: no progress report and no stop.
  std::optional<SeriesOptions> series;  ///< Empty: no time series. Affects no other result.
  const TraceOptions* trace = nullptr;  ///< Null: no packet trace.
  std::uint32_t threads = 1;            ///< Maximum number of threads. Affects no result.
  /// Number of partitions, if partitions are possible at all; 0: as many as threads, if each has
  /// enough packets. Affects no result.
  std::uint32_t partitions = 0;
  /// Leaves out the events of datagrams whose times can be computed directly (skip/skipper.h).
  /// Affects no result.
  bool fast = false;
};

}  // namespace overlane::run
