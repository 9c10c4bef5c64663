#pragma once

#include <span>

#include "sim/random/stream.h"
#include "tools/fuzzing/seeds.h"

namespace overlane::fuzzing {

/// Mutations grow an input to at most this size.
inline constexpr std::size_t kMaxInputBytes = 2048;

/// One of the seeds after one to six random changes: bits flipped, bytes and words set to values at
/// which parsers turn, parts cut out, repeated, moved in from another seed, the end cut off.
Bytes mutate(std::span<const Seed> seeds, RandomStream& random);

}  // namespace overlane::fuzzing
