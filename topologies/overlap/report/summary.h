#pragma once

#include <string>
#include <vector>

#include "results/answer/document.h"
#include "topologies/overlap/report/report.h"

// What a report says first: one sentence about the worst, and one line per network with errors.
// Readers with 10,000 shoots start here, so nothing of it may be more reassuring than the rest of
// the report: a conflict that begins later or only under an assumption is named as such.
namespace overlane::overlap {

/// The worst that the report knows, in one sentence for the first line of every format: conflicts
/// and exceeded route quotas by when they begin (now, after how many node creations, once manifests
/// are applied), conflicts that depend on what no document says, warnings, and what was not
/// compared. Says "no conflict" only of a time at which there is none.
std::string headline(const OverlapReport& report);

/// Tone::Bad with an error, at whatever time its conflict begins; Tone::Good without a warning.
answer::Tone headline_tone(const OverlapReport& report);

/// Sections of a document that list where errors are, one line per network, the soonest first:
/// "errors now", "errors later", manifests under "do not apply", and the fullest route tables of
/// those whose quota suffices under "routes". Sections without a line are left out.
std::vector<answer::Section> network_errors(const OverlapReport& report);

}  // namespace overlane::overlap
