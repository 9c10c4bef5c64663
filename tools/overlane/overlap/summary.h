#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// "1 shoot", "1,200 shoots".
std::string counted(std::uint64_t count, std::string_view what);

/// What can be read in ten seconds: of a question "what if" what it comes to; where errors are, by
/// their urgency, and which manifests must not be applied. Empty if there is no error.
std::string overlap_beginning(const overlap::OverlapReport& report);

}  // namespace overlane::command
