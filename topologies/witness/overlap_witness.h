#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "topologies/effective/effective_dataplane.h"
#include "topologies/overlap/report/report.h"

namespace overlane::witness {

/// The overlaps that a witness is looked for, no more than `most`: of each group the first ones.
std::vector<overlap::Overlap*> to_be_witnessed(overlap::OverlapReport& report, std::size_t most);

/// Gives each its witness, where there is one: both shoots must be in `shoots`, by their names, and
/// one must be able to say what becomes of the packet. An error or warning has one that goes wrong,
/// or none.
void add_witnesses(const std::vector<overlap::Overlap*>& overlaps,
                   const std::map<std::string, effective::EffectiveDataplane>& shoots);

}  // namespace overlane::witness
