#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "results/base/json_field_list.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

// Figures of a run over time. A Series holds one value per interval for each traffic group and for
// the nodes; a report has one only if it was requested. The simulator fills a Series, pages draw it
// as lines, and text reports draw it as bars. find_steady_state() judges whether a figure was
// steady during the measurement window. Series and steady states are diagnostics: they are not part
// of the result hash.

using DropSeries = std::map<Drop, std::vector<std::int64_t>>;

/// One traffic group over time: one value per interval, including the warm-up.
struct TrafficSeries {
  std::string name;
  std::vector<std::int64_t> throughput_bps;  ///< IP bits of delivered pod packets.
  std::vector<std::int64_t> goodput_bps;
  std::vector<std::int64_t> sent;  ///< Packets.
  std::vector<std::int64_t> delivered;
  /// Dropped packets, by the reasons that occurred.
  DropSeries drops;

  bool operator==(const TrafficSeries&) const = default;
};

/// One node over time, or all nodes together. For all nodes, the value of a queue is the maximum
/// over the nodes.
struct NodeSeries {
  std::string name;                       ///< Node name.
  std::vector<std::int64_t> cpu_ppm;      ///< CPU use of the node, or the mean of all nodes.
  std::vector<std::int64_t> cpu_max_ppm;  ///< CPU use of the busiest node; empty for a single node.
  std::vector<std::int64_t> nic_packets;  ///< Maximum length of the NIC's transmit queue.
  std::vector<std::int64_t> nic_bytes;    ///< Maximum of the NIC's transmit queue, frame bytes.
  std::vector<std::int64_t> ring_packets;  ///< Maximum length of any core's receive ring.
  std::vector<std::int64_t> port_packets;  ///< Maximum length of the fabric's queue to the node.

  bool operator==(const NodeSeries&) const = default;
};

/// One run of a variant over time, in equal intervals except the last one, which ends with the run.
struct Series {
  std::vector<std::int64_t> end_ns;  ///< End of each interval, from the start of the run.
  std::vector<TrafficSeries> traffic;
  NodeSeries nodes;  ///< All nodes; no CPU values if CPU time is free.
  /// Maximum queue length of any link between a leaf and a spine, in packets. Empty without racks.
  std::vector<std::int64_t> rack_link_packets;
  std::vector<NodeSeries> each_node;  ///< Each node separately; empty unless requested.

  bool operator==(const Series&) const = default;
};

/// CPU use of all nodes.
struct CpuSeries {
  std::vector<std::int64_t> mean, max;
};

template <typename Archive, same_as_or_const<CpuSeries> Value>
void fields(Archive& archive, Value& cpu) {
  archive.required({"mean", "Mean of all nodes in each interval, in ppm."}, cpu.mean);
  archive.required({"max", "The busiest node in each interval, in ppm."}, cpu.max);
}

template <typename Archive, same_as_or_const<TrafficSeries> Value>
void fields(Archive& archive, Value& traffic) {
  archive.required({"name", "Name of the traffic group."}, traffic.name);
  archive.required({"throughput_bps", "Throughput of each interval, in bit/s."},
                   traffic.throughput_bps);
  archive.required({"goodput_bps", "Goodput of each interval, in bit/s."}, traffic.goodput_bps);
  archive.object({"packets", "Packets of each interval."}, [&](auto& packets) {
    packets.required({"sent", "Packets sent in each interval."}, traffic.sent);
    packets.required({"delivered", "Packets delivered in each interval."}, traffic.delivered);
  });
  archive.required({"drops", "Packets dropped in each interval, by reason."}, traffic.drops);
}

template <typename Archive, same_as_or_const<NodeSeries> Value>
void queue_fields(Archive& archive, Value& node) {
  archive.required({"nic_queue_packets_max", "Fullest transmit queue of a NIC, in packets."},
                   node.nic_packets);
  archive.required({"nic_queue_bytes_max", "Fullest transmit queue of a NIC, in bytes of frames."},
                   node.nic_bytes);
  archive.required({"receive_ring_packets_max", "Fullest receive ring of a core, in packets."},
                   node.ring_packets);
  archive.required(
      {"port_queue_packets_max", "Fullest queue of the fabric's link to a node, in packets."},
      node.port_packets);
}

template <typename Archive, same_as_or_const<NodeSeries> Value>
void fields(Archive& archive, Value& node) {
  archive.required({"name", "Name of the node."}, node.name);
  archive.nullable(
      {"cpu_utilisation_ppm", "CPU use of each interval, in ppm; null if CPU time is free."},
      node.cpu_ppm);
  queue_fields(archive, node);
}

template <typename Archive, same_as_or_const<Series> Value>
void fields(Archive& archive, Value& series) {
  archive.required({"end_ns", "End of each interval since the start of the run, in nanoseconds."},
                   series.end_ns);
  archive.required({"traffic", "Each traffic group over time."}, series.traffic);
  archive.object({"nodes", "All nodes over time."}, [&](auto& nodes) {
    CpuSeries cpu{series.nodes.cpu_ppm, series.nodes.cpu_max_ppm};
    nodes.nullable_if(
        !cpu.mean.empty(),
        {"cpu_utilisation_ppm", "CPU use of each interval, in ppm; null if CPU time is free."},
        cpu);
    queue_fields(nodes, series.nodes);
    if constexpr (Archive::kReads) {
      series.nodes.cpu_ppm = std::move(cpu.mean);
      series.nodes.cpu_max_ppm = std::move(cpu.max);
    }
  });
  archive.optional({"rack_link_queue_packets_max",
                    "Fullest queue of a link between leaf and spine, in packets."},
                   series.rack_link_packets);
  archive.optional({"each_node", "Each node over time, if requested."}, series.each_node);
}

/// The schema of the name of a drop reason.
nlohmann::ordered_json drop_reason_schema();

/// Whether a figure was steady during the measurement window.
struct SteadyState {
  bool reached = false;
  Picos from;  ///< Start of the steady part of the run; the window's start if not reached.
  /// Mean of the last third of the evaluated batches minus the mean of the first third, divided by
  /// the mean of all evaluated batches. 0 if the drift is not significant.
  std::int64_t drift_ppm = 0;
  /// Bias of the window's mean caused by the part before `from`: the window's mean divided by the
  /// steady mean, minus 1. 0 if there is no such part or the bias is not significant.
  std::int64_t bias_ppm = 0;

  bool operator==(const SteadyState&) const = default;
};

/// Name of the method in reports.
inline constexpr const char* kSteadyStateMethod = "mser-5";

/// Number of batches of a run, each of five observations as in MSER-5.
inline constexpr std::size_t kSteadyStateBatches = 100;

/// A drift below this is accepted as steady.
inline constexpr std::int64_t kWorstDriftPpm = 50'000;
/// A bias below this is accepted.
inline constexpr std::int64_t kWorstBiasPpm = 20'000;

/// Finds the start of the steady part of a run, and whether the measurement window is steady.
/// `batches` are sums of a figure over equal parts of the run, which lasts `duration`. The window
/// begins with batch `first`.
///
/// MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for
/// simulation", 2000) ends the warm-up where the mean of the remaining batches has the smallest
/// standard error, within the first half. The rest of the window then must have no trend (Mann,
/// "Nonparametric tests against trend", 1945, at 1 %) of kWorstDriftPpm or more. A bias counts only
/// if it is significant (Mann and Whitney, 1947, at 0.1 %). Integers only.
///
/// Returns nothing if the run is too short: the figure has too few events, or MSER-5 finds no end
/// of the warm-up and the batches have no trend.
std::optional<SteadyState> find_steady_state(const std::vector<std::int64_t>& batches,
                                             std::size_t first, Picos duration);

}  // namespace overlane::model

template <>
struct overlane::JsonCodec<overlane::model::DropSeries> {
  static nlohmann::ordered_json encode(const model::DropSeries& drops, JsonDetail detail);
  static model::DropSeries decode(const JsonReader& json);
  static nlohmann::ordered_json schema();
};
