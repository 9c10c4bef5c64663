#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "topologies/effective/effective_dataplane.h"
#include "topologies/overlap/report/report.h"

// Adds witnesses to the overlaps of a report: translates each overlap into an OverlapCase and
// keeps the witness only if its outcome agrees with the severity of the overlap. A witness takes
// about a millisecond, so callers choose overlaps first.
namespace overlane::witness {

/// At most `most` overlaps to find witnesses for: the first ones of each group.
std::vector<overlap::Overlap*> select_for_witness(overlap::OverlapReport& report, std::size_t most);

/// Sets the witnesses of overlaps whose shoots are in `shoots`, by name, and whose states are
/// modelled. The witness of an error or a warning does not reach its receiver; else there is none.
void add_witnesses(const std::vector<overlap::Overlap*>& overlaps,
                   const std::map<std::string, effective::EffectiveDataplane>& shoots);

}  // namespace overlane::witness
