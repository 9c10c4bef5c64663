#pragma once

#include <cstdint>
#include <string>

#include "topologies/overlap/report/report.h"

// Texts about overlaps that several formats share, and the report as a flat list of findings for
// SARIF and JUnit.
namespace overlane::overlap {

/// The report as findings, for SARIF and JUnit: each listed overlap at the place of `a` (of `b`, if
/// `a` has none), then one finding per group with unlisted pairs, then the report's own findings.
/// Every message starts with the name of a shoot.
Findings findings_of(const OverlapReport& report);

/// The time to the conflict of routed pods, and the hibernated shoots that have to wake up first;
/// empty if neither matters, or if there is never a conflict.
std::string until_text(const Overlap& overlap);

/// The action for an overlap: the change in the manifest of a shoot that is not created yet; else
/// the rule's remedy and a workaround on this provider. `shoots`: number of shoots that overlap in
/// the same way.
std::string advice(const Overlap& overlap, std::uint64_t shoots = 2);

}  // namespace overlane::overlap
