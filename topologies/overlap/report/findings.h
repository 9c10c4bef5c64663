#pragma once

#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// The report for formats that know findings only: each listed overlap at the place of `a` (of `b`,
/// where that has none), then one for each group with the pairs that it does not list, then the
/// report's own findings. Every message leads with the name of a shoot.
Findings findings_of(const OverlapReport& report);

/// How far routed pods are from meeting what they overlap, and which hibernated shoot's waking it
/// waits for; empty where neither matters, or where they never meet.
std::string until_text(const Overlap& overlap);

}  // namespace overlane::overlap
