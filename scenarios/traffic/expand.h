#pragma once

#include <cstdint>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/spec/scenario.h"
#include "sim/run/run.h"
#include "topologies/graph/topology.h"

namespace overlane::traffic {

/// Expands each traffic group to pairs of pods or nodes and their traffic, in an IP family of the
/// topology, which has at least two nodes. Random choices depend on `seed` and the group's index.
/// If `zones: same` or `different` is impossible, uses any pair and adds a note to `notes`.
Result<std::vector<run::TrafficGroup>> expand(const std::vector<spec::Traffic>& traffic,
                                              const graph::Topology& topology, Family family,
                                              std::uint64_t seed, Findings& notes);

}  // namespace overlane::traffic
