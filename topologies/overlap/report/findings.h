#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// The report as findings, for SARIF and JUnit: each listed overlap at the place of `a` (of `b`, if
/// `a` has none), then one finding per group with unlisted pairs, then the report's own findings.
/// Every message starts with the name of a shoot.
Findings findings_of(const OverlapReport& report);

/// The time to the conflict of routed pods, and the hibernated shoots that have to wake up first;
/// empty if neither matters, or if there is never a conflict.
std::string until_text(const Overlap& overlap);

}  // namespace overlane::overlap
