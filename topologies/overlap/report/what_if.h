#pragma once

#include <map>
#include <string>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/report.h"

// "What if" these manifests were applied, or these shoots had another mode? The answer is the
// difference of two reports, with and without the change: what is new, what is resolved, what
// stays.
namespace overlane::overlap {

/// Sets Shoot::asked_about of the shoots that a "what if" changes: in `what_if` the candidates and
/// the shoots with assumed modes, in `current` those of the same names. Removes manifests that are
/// not applied yet from `current` if a candidate replaces them.
void mark_asked_about(const std::map<std::string, effective::Mode>& modes, Inventory& current,
                      Inventory& what_if);

/// Reduces the report to overlaps and findings that the current landscape does not have with at
/// least the same severity, and sets OverlapReport::what_if: what is resolved, and how much is
/// unchanged. Errors about documents remain, because the answer may depend on what cannot be read.
void report_changes(OverlapReport current, OverlapReport& report);

}  // namespace overlane::overlap
