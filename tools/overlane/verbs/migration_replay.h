#pragma once

#include "results/pages/replay.h"
#include "scenarios/migration/assess.h"

namespace overlane::command {

/// The courses of all strategies of a switch, for its page: steps, outages between pods of
/// different nodes, and the states of nodes and VPC over time, in the first run with the seed
/// `seed`. A large switch is bounded: each course names what it leaves out.
pages::Replay migration_replay(const migration::Assessment& assessment, std::uint64_t seed);

}  // namespace overlane::command
