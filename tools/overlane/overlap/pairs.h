#pragma once

#include <span>
#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// Pairs of ranges, two lines each, in columns: owner, role, range and location. A location that
/// does not fit gets its own line.
std::string pair_table(std::span<const overlap::Overlap* const> pairs);

}  // namespace overlane::command
