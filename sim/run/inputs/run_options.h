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

  /// Time of its next act, unless another actor changes it; nullopt if it does not act by itself.
  virtual std::optional<Picos> next() const = 0;
  /// Acts at next(), before all other events at that time. next() must be later afterwards.
  virtual void act(node::WorldEditor& world, Picos now) = 0;
};

/// Makes the actors of one run. Each draws its random times from its own stream of
/// StreamUse::Actors and this seed. Of those that act at one time, the first acts first.
using MakeActors = std::function<std::vector<std::unique_ptr<Actor>>(std::uint64_t seed)>;

/// Progress of a run for other threads: the run writes it every kLookEvery events, and ends when
/// `stop` is true. The events up to then are not affected.
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

/// Events between two looks at a Watch: at most about a millisecond of the engine's time.
inline constexpr std::int64_t kLookEvery = 4096;

/// Where a packet is observed, and what just happened to it there.
enum class TracePoint : std::uint8_t {
  Sent,       ///< A socket has sent it.
  Worked,     ///< A core has finished its work on it.
  Crypted,    ///< WireGuard's cipher has finished it, and its peer's core works on it.
  Vhost,      ///< The hypervisor has copied it out of its guest, or into one.
  Copied,     ///< From one socket of the node to another.
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
  Read,  ///< The application has read something.
};

/// State of a TCP sender when it sent a segment.
struct SenderState {
  std::int64_t congestion_window = 0;  ///< Bytes.
  std::int64_t in_flight = 0;          ///< Bytes sent and not acknowledged, with this segment.
  Picos smoothed_rtt;                  ///< 0: not measured yet.
  std::int64_t retransmissions = 0;    ///< So far.
};

/// One packet at one stop. Pointers are valid during the call.
struct TraceEvent {
  TracePoint stop = TracePoint::Sent;
  Picos at;
  Picos waited;              ///< Since its stop before; 0 at its first.
  std::uint32_t group = 0;   ///< Traffic group of the flow, by position.
  std::uint32_t flow = 0;    ///< Number of the flow in its group.
  std::uint32_t end = 0;     ///< EndpointId of the sender or, for Read, of the reader.
  bool backward = false;     ///< From the server, or the receiver, to the other end.
  std::uint64_t packet = 0;  ///< A number that stays with it, from 1. Read: 0.
  std::uint32_t node = 0;
  std::uint16_t core = 0;
  std::uint32_t switch_number = 0;  ///< AtLeaf: of the rack. AtSpine: of the spine. From 0.
  bool on_node = false;     ///< Sent, Delivered, Read: there is no pod, but the node itself.
  std::uint32_t bytes = 0;  ///< Outermost IP packet, or all that were merged; Read: payload.
  const forward::Packet* header = nullptr;      ///< Null: Read, and a fragment that was never made.
  const transport::Segment* segment = nullptr;  ///< Null: no TCP.
  std::optional<SenderState> sender;            ///< Sent, of TCP.
  std::optional<Drop> drop;
};

/// An observer of the packets of some flows. It changes no result.
struct TraceOptions {
  std::function<bool(std::uint32_t group, std::uint32_t flow)> follows;
  std::function<void(const TraceEvent&)> see;
};

/// A change of the states at one time. It takes effect before anything else that happens then;
/// changes of one time in the order given.
struct TimedChange {
  Picos at;
  std::function<void(node::WorldEditor& editor)> apply;
};

/// A node that is stopped until a TimedChange starts it at this time. Flows from or to it start
/// then.
struct NodeJoin {
  std::uint32_t node = 0;
  Picos at;
};

/// Options of the time series of a run.
struct SeriesOptions {
  Picos interval;          ///< > 0.
  bool each_node = false;  ///< Not only all nodes together.
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
  MakeActors actors;  ///< Empty: none but `changes`.
  /// Whether decisions are cached. If not, the run is slower, with the same result.
  bool keep_decisions = true;
  std::int64_t max_events = INT64_MAX;  ///< The run ends after so many.
  Watch* watch = nullptr;               ///< Null: no progress report and no stop.
  std::optional<SeriesOptions> series;  ///< Changes nothing else.
  const TraceOptions* trace = nullptr;  ///< Null: no packet trace.
  std::uint32_t threads = 1;            ///< At most so many work on it. Changes no result.
  /// So many partitions wherever that is possible, however little each has to do; 0: as many as
  /// threads, where that pays. Changes no result.
  std::uint32_t partitions = 0;
};

}  // namespace overlane::run
