#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/forward/outcome.h"
#include "results/load_search/search.h"
#include "results/model/histogram.h"

namespace overlane::dpdk {

// A traffic generator around a node under test that offers packets at a rate and measures loss
// and latency, as FD.io CSIT does.

/// Frames that a load consists of, and the side of the node that they come in from: Pod or Uplink.
struct LoadPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  const BenchTraffic* traffic = nullptr;
};

/// What is asked of a trial.
struct LoadOrder {
  std::int64_t packets_per_second = 1;  ///< Rate of all paths together; at least 1.
  Picos duration = milliseconds(100);
  /// What leaves the node so long after the end counts as lost: a queue was growing.
  Picos residual = microseconds(500);
  bool with_latency = false;
};

/// Why packets were lost, except those that were late.
struct LoadLosses {
  std::uint64_t unsent = 0;   ///< The tester had no time for them.
  std::uint64_t no_room = 0;  ///< The node's port was full, or no buffer free.
  std::uint64_t punted = 0;   ///< They need the full path, which the node under test has not.

  LoadLosses& operator+=(const LoadLosses& other);
  bool operator==(const LoadLosses&) const = default;
};

/// What a trial came to.
struct LoadTrial {
  search::Trial counts;  ///< `offered` are the packets that the load asks for.
  LoadLosses losses;
  std::uint64_t interruptions = 0;  ///< In turns: bursts during which the machine did other things.
  /// From the port to the port, of every kLatencySample-th packet; the error is at most that of
  /// `looks_ns`, the times between two looks of the tester at what has left.
  model::Histogram latency_ns;
  model::Histogram looks_ns;

  /// Forwarded packets per second.
  double rate() const;
};

/// The fast path of a node between two ports, and a tester at the far ends of their wires that
/// offers packets at a rate. The wires are rings of 1,023 places: what finds no place is lost, as
/// at a NIC.
///
/// With a core for the node, the tester runs on the calling core and time is the machine's. Without
/// one, both take turns on the calling core, and time is the node's own: the clock stands while the
/// tester works, and for bursts during which the node's core did something else.
class LoadTester {
 public:
  /// Ports with a name of their own. `burst` is at most adjacency::kBurst.
  static Parsed<std::unique_ptr<LoadTester>> make(const std::string& name, std::uint32_t buffers,
                                                  std::uint16_t burst,
                                                  std::optional<unsigned> node_core);

  const Port& pods() const { return pods_; }
  const Port& uplink() const { return uplink_; }
  bool takes_turns() const { return !node_core_; }

  /// Offers the paths' frames in turns, a burst each. Fails when the node's core is busy.
  Parsed<LoadTrial> measure(const Generation& generation, std::span<const LoadPath> paths,
                            const LoadOrder& order);

  static constexpr std::uint64_t kLatencySample = 16;

 private:
  class Node;
  class TrialRun;

  LoadTester(PacketPool pool, RingWire to_pods, RingWire to_uplink, Port pods, Port uplink,
             std::uint16_t burst, std::optional<unsigned> node_core, int stamp_offset)
      : pool_(std::move(pool)),
        pods_wire_(std::move(to_pods)),
        uplink_wire_(std::move(to_uplink)),
        pods_(std::move(pods)),
        uplink_(std::move(uplink)),
        burst_(burst),
        node_core_(node_core),
        stamp_offset_(stamp_offset) {}

  PacketPool pool_;
  RingWire pods_wire_;
  RingWire uplink_wire_;
  Port pods_;
  Port uplink_;
  std::uint16_t burst_;
  std::optional<unsigned> node_core_;
  int stamp_offset_;  ///< Offset of the time stamp in a packet's metadata.
};

}  // namespace overlane::dpdk
