#pragma once

#include "results/finding/finding.h"

namespace overlane::command {

/// print_findings() for `overlane overlap`: if `quiet`, also prints the first findings that may
/// hide overlaps, and counts the rest.
void print_overlap_findings(const Findings& findings, bool quiet, Severity fail_on);

}  // namespace overlane::command
