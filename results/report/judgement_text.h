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

// Results of results/stats about the runs of a suite, as text for a terminal: the comparison of two
// builds (a verdict per metric), the noise of a machine, and the trends over many nights. The
// comparison also has formats for other programs: Markdown for code review, JUnit for CI,
// OpenMetrics for monitoring. The other formats and the suite's page use the phrases of this file
// ("+9.9 %", "limit 5 %"), so that a figure has the same text everywhere.

/// Two runs and their comparison. The referenced values must outlive it.
struct JudgedRuns {
  const model::SuiteRun& base;
  const model::SuiteRun& changed;
  const stats::Judgement& judgement;
};

/// All verdicts in the order of reports, the most important first.
inline constexpr std::array kVerdicts = {
    stats::MetricVerdict::Worse,    stats::MetricVerdict::Changed, stats::MetricVerdict::Missing,
    stats::MetricVerdict::Accepted, stats::MetricVerdict::Unclear, stats::MetricVerdict::NotJudged,
    stats::MetricVerdict::Better,   stats::MetricVerdict::New,     stats::MetricVerdict::Same};

/// The verdict in words: "not judged", whereas to_string() returns "not-judged".
std::string_view word_of(stats::MetricVerdict verdict);

/// "regression: 1 worse, 40 same".
std::string verdict_text(const stats::Judgement& judgement);

/// "nightly: b27caadaa924 of 2026-11-26 18:50 against 3a5f9c21aa07 of …".
std::string judged_runs_text(const JudgedRuns& runs);

/// "21.3", "1,234,567", the text of a figure such as a hash, or "nothing" if absent.
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

/// The comparison in 80 columns: the verdict, then by case the metrics whose verdict is not Same
/// (`all`: all metrics) with effect, interval, figures and reason.
std::string judgement_text(const JudgedRuns& runs, bool all, Style style);

/// The limits of detection on a machine: for each time, its noise floor, the rate of false alarms,
/// and the smallest slow-down that is found. `night_rounds` is the number of rounds of a night.
std::string noise_text(const std::vector<stats::MetricNoise>& noise, std::size_t night_rounds,
                       Style style);

/// The trends of a suite in 80 columns: a summary sentence, then the metrics with a step or a
/// verdict (`all`: all metrics), each with its values as bars and its steps with their commits.
std::string trend_text(const std::vector<model::SuiteRun>& runs,
                       const std::vector<stats::MetricTrend>& trends, bool all, Style style);

/// A comparison as Markdown for a pull request: a table of the metrics that changed. Unchanged
/// metrics are in a collapsed section.
std::string judgement_markdown(const JudgedRuns& runs);

/// A comparison as JUnit XML: a test case for each metric, failed if it is a regression and skipped
/// if it was not judged.
std::string judgement_junit(const JudgedRuns& runs);

/// A comparison as OpenMetrics text, which the textfile collector of node-exporter can read. For
/// each metric with a number: gauges of the changed build's value, its ratio to the base, and
/// whether it is a regression.
std::string judgement_openmetrics(const JudgedRuns& runs);

}  // namespace overlane::report
