#pragma once

#include <cstdint>
#include <vector>

#include "results/finding/result.h"
#include "scenarios/spec/scenario.h"
#include "sim/run/run.h"
#include "topologies/graph/topology.h"

namespace overlane::traffic {

/// The pairs of pods, or of nodes in their place, behind each traffic group of a scenario, and what
/// they send, in an IP family that the topology has. Needs two nodes. What a pattern draws comes
/// from `seed` and the group's number. Where `zones: same` or `different` cannot be met, any pair
/// is taken and a note added to `notes`.
Result<std::vector<run::TrafficGroup>> expand(const std::vector<spec::Traffic>& traffic,
                                              const graph::Topology& topology, Family family,
                                              std::uint64_t seed, Findings& notes);

}  // namespace overlane::traffic
