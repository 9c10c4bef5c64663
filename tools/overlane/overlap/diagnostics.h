#pragma once

#include "results/finding/finding.h"

namespace overlane::command {

/// print_findings() for `overlane overlap`: even `quiet` it names the first of the findings by
/// which an overlap may be missed, and how many more there are.
void print_overlap_findings(const Findings& findings, bool quiet, Severity fail_on);

}  // namespace overlane::command
