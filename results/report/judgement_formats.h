#pragma once

#include <string>

#include "results/report/judgement_text.h"

namespace overlane::report {

/// A comparison as Markdown for a pull request: a table of the metrics that changed. Unchanged
/// metrics are in a collapsed section.
std::string judgement_markdown(const JudgedRuns& runs);

/// The same as JUnit XML: a test case for each metric, failed if it is a regression and skipped if
/// it was not judged.
std::string judgement_junit(const JudgedRuns& runs);

/// The same as OpenMetrics text, also for node-exporter's textfile collector: gauges of each number
/// of the changed build, its ratio to the base, and whether it is a regression.
std::string judgement_openmetrics(const JudgedRuns& runs);

}  // namespace overlane::report
