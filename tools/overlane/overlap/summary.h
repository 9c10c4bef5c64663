#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::command {

/// The first lines of the text: the result of a "what if", the networks with errors by urgency,
/// manifests that must not be applied, and the fullest route tables.
std::string overlap_summary(const overlap::OverlapReport& report);

}  // namespace overlane::command
