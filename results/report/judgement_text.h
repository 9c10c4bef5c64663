#pragma once

#include <string>

#include "results/report/column_table.h"
#include "results/stats/judge.h"

namespace overlane::report {

/// Two runs and what was found between them. References to the caller's values.
struct JudgedRuns {
  const model::SuiteRun& base;
  const model::SuiteRun& changed;
  const stats::Judgement& judgement;
};

/// The verdict in one sentence: "clean: 41 metrics, of which 40 are the same and 1 is better".
std::string verdict_text(const stats::Judgement& judgement);

/// The comparison in 80 columns: the verdict, then case by case the metrics that are not the same,
/// or all if `all`, with effect, interval, figures and reason.
std::string judgement_text(const JudgedRuns& runs, bool all, Style style);

/// The same as Markdown for a pull request: a table of what is not the same, the rest folded.
std::string judgement_markdown(const JudgedRuns& runs);

/// The same as JUnit XML: a test case for each metric, failed if it is a regression and skipped if
/// it was not judged.
std::string judgement_junit(const JudgedRuns& runs);

}  // namespace overlane::report
