#pragma once

#include <string>
#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/path/border.h"

namespace overlane::run {

/// How a run's nodes are spread over partitions, which happen on several threads.
struct Partitioning {
  PartitionOfNode of_node;
  std::uint16_t count = 1;
  /// Shortest time of a packet from one partition to another; > 0 with several partitions.
  Picos look_ahead;
  std::string reason;  ///< Why there is only one, if more were asked for: "packets are traced".
};

/// Partitions of neighbouring nodes with about equally many flows each: as many as the options ask
/// for, or fewer so that threads do not mostly wait for each other. One partition if nodes affect
/// each other without delay.
Partitioning partition_nodes(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options);

}  // namespace overlane::run
