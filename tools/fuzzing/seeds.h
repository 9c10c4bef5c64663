#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"

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

}  // namespace overlane::fuzzing
