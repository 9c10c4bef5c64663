#pragma once

#include <vector>

#include "results/answer/document.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// Sections of a document that list where errors are, one line per network, the soonest first:
/// "errors now", "errors later", manifests under "do not apply", and the fullest route tables of
/// those whose quota suffices under "routes". Sections without a line are left out.
std::vector<answer::Section> network_errors(const OverlapReport& report);

}  // namespace overlane::overlap
