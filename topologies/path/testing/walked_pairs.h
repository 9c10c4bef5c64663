#pragma once

#include <cstdint>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::path::testing {

// Tests of Reachability by random changes: after each change, every outcome must equal that of a
// walk of its pair.

node::World world_of(const node::testing::ClusterShape& shape);
node::World world_of(const effective::EffectiveDataplane& shoot, std::uint32_t nodes);

/// Counts of follow_random_changes().
struct Followed {
  std::uint64_t updates = 0;
  std::uint64_t pairs = 0;             ///< Pairs of the first probe, summed over all updates.
  std::uint64_t delivered = 0;         ///< Delivered pairs of the first probe.
  std::uint64_t changes = 0;           ///< Changed outcomes of both probes.
  std::uint64_t walks_of_updates = 0;  ///< Walks of both probes.
  std::uint64_t walks_of_fresh = 0;  ///< Walks of the first probe when all pairs are computed anew.
};

/// Changes worlds of all dataplane modes at random. After each change, compares an updated
/// Reachability of two probes and a newly computed one with walks of all pairs. A difference fails
/// the test.
Followed follow_random_changes(std::uint64_t first_seed, std::uint64_t seeds, int updates);

}  // namespace overlane::path::testing
