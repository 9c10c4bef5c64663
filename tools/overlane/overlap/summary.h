#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// What can be read in ten seconds: of a question "what if" what it comes to; where errors are, by
/// their urgency, and which manifests must not be applied. Empty if there is no error.
std::string overlap_beginning(const overlap::OverlapReport& report);

}  // namespace overlane::command
