#pragma once

#include <string>

#include "results/report/judgement_text.h"

namespace overlane::report {

// The comparison of two runs of a suite in the formats of other programs: Markdown for code review,
// JUnit for CI, OpenMetrics for monitoring. judgement_text.h has the form for a terminal.

/// A comparison as Markdown for a pull request: a table of the metrics that changed. Unchanged
/// metrics are in a collapsed section.
std::string judgement_markdown(const JudgedRuns& runs);

/// A comparison as JUnit XML: a test case for each metric, failed if it is a regression and skipped
/// if it was not judged.
std::string judgement_junit(const JudgedRuns& runs);

/// A comparison as OpenMetrics text, which node-exporter's textfile collector reads, too: gauges of
/// each number of the changed build, its ratio to the base, and whether it is a regression.
std::string judgement_openmetrics(const JudgedRuns& runs);

}  // namespace overlane::report
