#pragma once

#include "results/finding/finding.h"
#include "tools/overlane/cli/exit_code.h"
#include "tools/overlane/overlap/options.h"
#include "topologies/overlap/analyze/analyze.h"

namespace overlane::command {

/// print_findings() for `overlane overlap`: if `quiet`, also prints the first findings that may
/// hide overlaps, and counts the rest.
void print_overlap_findings(const Findings& findings, bool quiet, Severity fail_on);

/// Writes the SVG, HTML, SARIF and JUnit files of the options. Stops at the first that fails.
ExitCode write_files(const overlap::Analysis& analysis, const OverlapOptions& options);

}  // namespace overlane::command
