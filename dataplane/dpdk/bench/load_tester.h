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

/// Trials at a load that is a share of PDR; of 0, at the smallest load of the search.
struct LatencyAt {
  double share_of_pdr = 0;
  std::int64_t packets_per_second = 0;
  LoadTrial trial;
};

/// What FD.io CSIT reports of a node.
struct LoadFigures {
  bool takes_turns = false;  ///< LoadTester::takes_turns()
  search::LoadRange range;
  search::SearchResult found;
  LoadLosses losses;                      ///< Losses in the trials of the search.
  std::uint64_t interruptions = 0;        ///< Interruptions in the trials of the search.
  std::vector<double> max_receive_rates;  ///< MRR: of each trial at the maximum load.
  std::vector<LatencyAt> latency;         ///< Empty if there is no PDR.

  double max_receive_rate() const;  ///< The mean; 0 without trials.
};

struct LoadPlan {
  std::vector<search::Goal> goals;  ///< All of the same trial and width.
  search::LoadRange range;
  bool all_figures = false;  ///< Also MRR, and latency at 0, 10, 50 and 90 % of PDR.
};

/// Trials of MRR, as CSIT's.
inline constexpr int kMaxReceiveRateTrials = 10;

/// Measures. A first trial at the maximum load is a warm-up and not used.
Parsed<LoadFigures> load_figures(LoadTester& tester, const Generation& generation,
                                 std::span<const LoadPath> paths, const LoadPlan& plan);

/// Parts of a case of a report.
nlohmann::ordered_json encode(const LoadFigures& figures);

/// The lines of a table under load_heading(): one for each goal, for MRR and for each latency.
std::string load_heading();
std::string load_lines(const std::string& name, const LoadFigures& figures);

}  // namespace overlane::dpdk
