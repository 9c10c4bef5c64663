#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "sim/random/stream.h"

namespace overlane::fuzzing {

using Bytes = std::vector<std::uint8_t>;

/// An initial input of a fuzz target.
struct Seed {
  std::string name;
  Bytes bytes;

  bool operator==(const Seed&) const = default;
};

/// Reads a seeds file: one seed per line, `name: 45 00 …` in hexadecimal. A line that starts with a
/// space continues the previous seed; empty lines and those that start with # are skipped.
/// tools/fuzz reads the same files.
Parsed<std::vector<Seed>> parse_seeds(std::string_view text);

/// Mutations grow an input to at most this size.
inline constexpr std::size_t kMaxInputBytes = 2048;

/// A seed with one to six random changes: bits flipped, bytes and words set to boundary values,
/// parts removed, repeated, or copied from another seed, the end truncated.
Bytes mutate(std::span<const Seed> seeds, RandomStream& random);

}  // namespace overlane::fuzzing
