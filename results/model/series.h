#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataplane/net/drop.h"

namespace overlane::model {

/// One traffic group over time: of each interval one value, the warm-up included.
struct TrafficSeries {
  std::string name;
  std::vector<std::int64_t> throughput_bps;  ///< As TrafficResult has them, over the interval.
  std::vector<std::int64_t> goodput_bps;
  std::vector<std::int64_t> sent;  ///< Packets.
  std::vector<std::int64_t> delivered;
  std::map<Drop, std::vector<std::int64_t>> drops;  ///< Of the reasons that occurred.

  bool operator==(const TrafficSeries&) const = default;
};

/// The same of a node, or of all nodes: then the fullest queue of any.
struct NodeSeries {
  std::string name;                        ///< Of the node.
  std::vector<std::int64_t> cpu_ppm;       ///< Of its cores' time; of all nodes the mean …
  std::vector<std::int64_t> cpu_max_ppm;   ///< … and the busiest; of one node nothing.
  std::vector<std::int64_t> nic_packets;   ///< Most at once in the NIC's transmit queue, …
  std::vector<std::int64_t> nic_bytes;     ///< … the most bytes of frames there, …
  std::vector<std::int64_t> ring_packets;  ///< … in one core's receive ring, …
  std::vector<std::int64_t> port_packets;  ///< … and in front of the fabric's link to the node.

  bool operator==(const NodeSeries&) const = default;
};

/// What one run of a variant did over time, in intervals of equal length, but for the last one,
/// which ends with the run.
struct Series {
  std::vector<std::int64_t> end_ns;  ///< Of each interval, since the beginning of the run.
  std::vector<TrafficSeries> traffic;
  NodeSeries nodes;  ///< All of them; no CPU where its time is free.
  /// Most at once at any link between a leaf and a spine; only where there are racks.
  std::vector<std::int64_t> rack_link_packets;
  std::vector<NodeSeries> each_node;  ///< Only where that was asked.

  bool operator==(const Series&) const = default;
};

}  // namespace overlane::model
