#pragma once

namespace overlane::run {

/// Thrown in one of several partitions by what concerns nodes of others at the same moment. Such a
/// run is begun again with one partition.
struct NeedsOnePartition {
  const char* reason;  ///< As in Partitioning::reason.
};

}  // namespace overlane::run
