#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/drop.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

// The figures of a run over time, if requested: arrays with one value per interval,
// for each traffic group and for the nodes. Diagnostics: they are not part of the result hash. The
// simulator fills them; pages draw them as lines and text as bars.

/// One traffic group over time: one value per interval, including the warm-up.
struct TrafficSeries {
  std::string name;
  std::vector<std::int64_t> throughput_bps;  ///< TrafficResult::throughput_bps, per interval.
  std::vector<std::int64_t> goodput_bps;
  std::vector<std::int64_t> sent;  ///< Packets.
  std::vector<std::int64_t> delivered;
  /// Dropped packets, by the reasons that occurred.
  std::map<Drop, std::vector<std::int64_t>> drops;

  bool operator==(const TrafficSeries&) const = default;
};

/// A node over time, or all nodes: then the maximum of any node's queue.
struct NodeSeries {
  std::string name;                        ///< Node name.
  std::vector<std::int64_t> cpu_ppm;       ///< CPU use of the node, or the mean of all nodes …
  std::vector<std::int64_t> cpu_max_ppm;   ///< … and of the busiest node; empty for one node.
  std::vector<std::int64_t> nic_packets;   ///< Maximum in the NIC's transmit queue, …
  std::vector<std::int64_t> nic_bytes;     ///< … in bytes of frames, …
  std::vector<std::int64_t> ring_packets;  ///< … in any core's receive ring, …
  std::vector<std::int64_t> port_packets;  ///< … and in the queue of the fabric's link to the node.

  bool operator==(const NodeSeries&) const = default;
};

/// One run of a variant over time, in equal intervals except the last one, which ends with the run.
struct Series {
  std::vector<std::int64_t> end_ns;  ///< End of each interval, since the start of the run.
  std::vector<TrafficSeries> traffic;
  NodeSeries nodes;  ///< All nodes; no CPU values if CPU time is free.
  /// Maximum at any link between a leaf and a spine; only with racks.
  std::vector<std::int64_t> rack_link_packets;
  std::vector<NodeSeries> each_node;  ///< Only if requested.

  bool operator==(const Series&) const = default;
};

/// One element of a variant's `series` in the RunReport: `end_ns` of the intervals, and arrays with
/// one value per interval.
nlohmann::ordered_json encode(const Series& series);
Series decode_series(const JsonReader& json);

}  // namespace overlane::model
