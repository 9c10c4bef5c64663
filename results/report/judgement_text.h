#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/report/column_table.h"
#include "results/stats/judge.h"
#include "results/stats/noise.h"
#include "results/stats/trend.h"

namespace overlane::report {

// Findings of results/stats about the runs of a suite, as text for a terminal: the comparison of
// two builds (verdict per metric), the noise of a machine, and the trends over many nights. The
// comparison has the formats of other programs, too: Markdown for code review, JUnit for CI,
// OpenMetrics for monitoring. The small texts here ("+9.9 %", "limit 5 %") are also used by the
// other formats and by the suite's page, so that a figure reads the same everywhere.

/// Two runs and their comparison. The referenced values must outlive it.
struct JudgedRuns {
  const model::SuiteRun& base;
  const model::SuiteRun& changed;
  const stats::Judgement& judgement;
};

/// All verdicts in the order of reports: the most important first.
inline constexpr std::array kVerdicts = {
    stats::MetricVerdict::Worse,    stats::MetricVerdict::Changed, stats::MetricVerdict::Missing,
    stats::MetricVerdict::Accepted, stats::MetricVerdict::Unclear, stats::MetricVerdict::NotJudged,
    stats::MetricVerdict::Better,   stats::MetricVerdict::New,     stats::MetricVerdict::Same};

/// The verdict for people: "not judged" where to_string() has "not-judged".
std::string_view word_of(stats::MetricVerdict verdict);

/// "regression: 1 worse, 40 same".
std::string verdict_text(const stats::Judgement& judgement);

/// "nightly: b27caadaa924 of 2026-11-26 18:50 against 3a5f9c21aa07 of …".
std::string judged_runs_text(const JudgedRuns& runs);

/// "21.3", "1,234,567", a text, or "nothing".
std::string figure_text(const std::optional<model::Figure>& figure);

/// "+9.9 %" for 1.099.
std::string effect_text(double ratio, int digits = 1);
/// "+9.9 % (+8.7 % to +11.2 %)"; empty without a ratio.
std::string effect_text(const stats::MetricJudgement& judged);

/// "21.3 → 23.5 ns".
std::string figures_text(const stats::MetricJudgement& judged);

/// "limit 5 %", "must be equal".
std::string limit_text(const stats::MetricJudgement& judged);

/// "timed out of the base: …".
std::string problem_text(const stats::CaseProblem& problem);

/// Number of metrics with this verdict.
std::size_t count(const stats::Judgement& judgement, stats::MetricVerdict verdict);

/// The comparison in 80 columns: the verdict, then case by case the metrics that are not the same,
/// or all if `all`, with effect, interval, figures and reason.
std::string judgement_text(const JudgedRuns& runs, bool all, Style style);

/// Limits that a machine's noise sets: for each time its noise floor, how often equal builds would
/// be told apart, and the smallest slow-down that is found. `night_rounds`: rounds of a night.
std::string noise_text(const std::vector<stats::MetricNoise>& noise, std::size_t night_rounds,
                       Style style);

/// The trends of a suite in 80 columns: a sentence about all, then metric by metric those with a
/// step or a verdict, or all if `all`: the values as bars, and each step with its commits.
std::string trend_text(const std::vector<model::SuiteRun>& runs,
                       const std::vector<stats::MetricTrend>& trends, bool all, Style style);

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
