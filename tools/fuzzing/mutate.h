#pragma once

#include <span>

#include "sim/random/stream.h"
#include "tools/fuzzing/seeds.h"

namespace overlane::fuzzing {

/// Mutations grow an input to at most this size.
inline constexpr std::size_t kMaxInputBytes = 2048;

/// A seed with one to six random changes: bits flipped, bytes and words set to boundary values,
/// parts removed, repeated, or copied from another seed, the end truncated.
Bytes mutate(std::span<const Seed> seeds, RandomStream& random);

}  // namespace overlane::fuzzing
