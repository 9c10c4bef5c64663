#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/forward/outcome.h"
#include "results/load_search/search.h"
#include "results/model/histogram.h"

namespace overlane::dpdk {

// A traffic generator that offers packets to a node under test at a rate and measures loss and
// latency, as FD.io CSIT does. A trial offers one rate for a fixed time. A search (load_search::)
// repeats trials to find the largest loads whose loss does not exceed the goals, such as NDR and
// PDR.

/// Frames of a load, and the side of the node at which they arrive: Pod or Uplink.
struct LoadPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  const BenchTraffic* traffic = nullptr;
};

/// Parameters of a trial.
struct LoadOrder {
  std::int64_t packets_per_second = 1;  ///< Rate of all paths together; at least 1.
  Picos duration = milliseconds(100);
  /// Packets that leave the node later than this after the end of the trial count as lost, because
  /// a queue was growing.
  Picos residual = microseconds(500);
  bool with_latency = false;
};

/// Causes of lost packets, except packets that left too late.
struct LoadLosses {
  std::uint64_t unsent = 0;   ///< Not sent in time: the tester was too slow.
  std::uint64_t no_room = 0;  ///< The node's port was full, or no buffer was free.
  std::uint64_t punted = 0;   ///< Need the full path, which the node under test does not have.

  LoadLosses& operator+=(const LoadLosses& other);
  bool operator==(const LoadLosses&) const = default;
};

/// Result of a trial.
struct LoadTrial {
  load_search::Trial counts;  ///< `offered` counts the packets that the load requires.
  LoadLosses losses;
  std::uint64_t interruptions =
      0;  ///< If tester and node take turns: bursts during which the core executed other work.
  /// Time from port to port of every kLatencySample-th packet. The error is at most the interval in
  /// `looks_ns`: the time between two checks of the tester for packets that have left the node.
  model::Histogram latency_ns;
  model::Histogram looks_ns;

  /// Forwarded packets per second.
  double rate() const;
};

/// The fast path of a node with two ports, and a tester that offers packets at a rate at the far
/// ends of their wires. Each wire is a ring of 1,023 slots; a packet that finds no free slot is
/// lost, as at a NIC.
///
/// If the node has a core, the tester runs on the calling core and time is the machine's time.
/// Otherwise node and tester take turns on the calling core, and time is the node's own: the clock
/// does not advance while the tester works or during a burst in which the core executed other work.
class LoadTester {
 public:
  /// Makes two ports with names derived from `name`. `burst` is at most adjacency::kBurst.
  static Parsed<std::unique_ptr<LoadTester>> make(const std::string& name, std::uint32_t buffers,
                                                  std::uint16_t burst,
                                                  std::optional<unsigned> node_core);

  const Port& pods() const { return pods_; }
  const Port& uplink() const { return uplink_; }
  bool takes_turns() const { return !node_core_; }

  /// Offers the frames of the paths, one burst per path in turn. Fails if the node's core is busy.
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

/// Trials at a share of the PDR load; a share of 0 means the smallest load of the search.
struct LatencyAt {
  double share_of_pdr = 0;
  std::int64_t packets_per_second = 0;
  LoadTrial trial;
};

/// Figures that FD.io CSIT reports for a node.
struct LoadFigures {
  bool takes_turns = false;  ///< LoadTester::takes_turns()
  load_search::LoadRange range;
  load_search::SearchResult found;
  LoadLosses losses;                      ///< Losses in the trials of the search.
  std::uint64_t interruptions = 0;        ///< Interruptions in the trials of the search.
  std::vector<double> max_receive_rates;  ///< MRR: receive rate of each trial at the maximum load.
  std::vector<LatencyAt> latency;         ///< Empty if there is no PDR.

  double max_receive_rate() const;  ///< The mean; 0 without trials.
};

struct LoadPlan {
  std::vector<load_search::Goal> goals;  ///< All goals have the same trial duration and width.
  load_search::LoadRange range;
  bool all_figures = false;  ///< Also MRR, and latency at 0, 10, 50 and 90 % of PDR.
};

/// Number of trials of MRR, as in CSIT.
inline constexpr int kMaxReceiveRateTrials = 10;

/// Measures the figures of `plan`. The first trial runs at the maximum load as a warm-up and is not
/// used.
Parsed<LoadFigures> load_figures(LoadTester& tester, const Generation& generation,
                                 std::span<const LoadPath> paths, const LoadPlan& plan);

/// JSON of the figures, a part of a case in a report.
nlohmann::ordered_json encode(const LoadFigures& figures);

/// The lines of a table under load_heading(): one per goal, one for MRR and one per latency.
std::string load_heading();
std::string load_lines(const std::string& name, const LoadFigures& figures);

}  // namespace overlane::dpdk
