#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap::testing {

/// Two routed shoots garden-dev/A and garden-dev/B with the usual pods in one VPC.
Overlap contested(const std::string& a, const std::string& b);

/// A report that lists these, and counts no others.
OverlapReport report_of(std::vector<Overlap> overlaps);

}  // namespace overlane::overlap::testing
