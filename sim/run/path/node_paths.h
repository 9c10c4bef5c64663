#pragma once

#include <vector>

#include "sim/run/path/border.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The stations of all nodes: those of a node are in the path of the partition that has the node.
class NodePaths {
 public:
  /// Keeps a reference. `paths`: of each partition.
  NodePaths(std::vector<const PacketPath*> paths, const PartitionOfNode& partition_of)
      : paths_(std::move(paths)), partition_of_(partition_of) {}

  const PacketPath& operator[](std::uint32_t node) const { return *paths_[partition_of_[node]]; }

 private:
  std::vector<const PacketPath*> paths_;
  const PartitionOfNode& partition_of_;
};

}  // namespace overlane::run
