#pragma once

#include <string>
#include <vector>

#include "results/answer/document.h"
#include "topologies/overlap/report/report.h"

// The summary at the top of a report: one sentence about the most severe problem, and one line per
// network with errors. Users with 10,000 shoots read it first, so it must not be more reassuring
// than the rest of the report: it names conflicts that begin later or only under an assumption.
namespace overlane::overlap {

/// The most severe problem of the report, in one sentence for the first line of every format:
/// conflicts and exceeded route quotas by when they begin (now, after how many node creations, once
/// manifests are applied), conflicts that depend on information missing from the documents,
/// warnings, and ranges that were not compared. It says "no conflict" only about a period without
/// conflicts.
std::string headline(const OverlapReport& report);

/// Tone::Bad if there is an error, whenever its conflict begins; Tone::Good if there is no warning.
answer::Tone headline_tone(const OverlapReport& report);

/// Sections of a document that list where errors are, one line per network, the soonest first:
/// "errors now", "errors later", manifests under "do not apply", and the fullest route tables of
/// those whose quota suffices under "routes". Sections without a line are left out.
std::vector<answer::Section> network_errors(const OverlapReport& report);

}  // namespace overlane::overlap
