#pragma once

#include <span>
#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// Pairs of ranges, one range below the other, in columns: who has it, and where it is written.
/// Places that the lines have no room for stand below their ranges.
std::string pair_table(std::span<const overlap::Overlap* const> pairs);

}  // namespace overlane::command
