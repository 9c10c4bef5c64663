#include "results/report/judgement_formats.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/report/formats/svg.h"
#include "results/report/formats/tables.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using stats::CaseProblem;
using stats::Judgement;
using stats::MetricJudgement;
using stats::MetricVerdict;

std::string markdown_rows(const Judgement& judgement, bool same) {
  std::string rows =
      "| verdict | case | metric | change | base → changed | limit | owner |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const MetricVerdict verdict : kVerdicts) {
    if ((verdict == MetricVerdict::Same) != same) continue;
    for (const MetricJudgement& judged : judgement.metrics) {
      if (judged.verdict != verdict) continue;
      const std::string reason = judged.reason.empty() ? "" : ": " + judged.reason;
      rows += fmt::format(
          "| {}{} | {} | {} | {} | {} | {} | {} |\n", word_of(verdict), markdown_text(reason),
          markdown_text(judged.case_name), markdown_text(judged.metric.name), effect_text(judged),
          markdown_text(figures_text(judged)), limit_text(judged), markdown_text(judged.owner));
    }
  }
  return rows;
}

std::string junit_case(const MetricJudgement& judged) {
  const std::string start = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                        xml_text(judged.case_name), xml_text(judged.metric.name));
  const std::string facts = fmt::format("{}: {} {}; {}", word_of(judged.verdict),
                                        effect_text(judged), figures_text(judged), judged.reason);
  if (is_regression(judged.verdict))
    return fmt::format(
        "{}>\n      <failure type=\"{}\" message=\"{}\">owner: {}</failure>\n"
        "    </testcase>\n",
        start, stats::to_string(judged.verdict), xml_text(facts), xml_text(judged.owner));
  if (judged.verdict == MetricVerdict::NotJudged || judged.verdict == MetricVerdict::Unclear)
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", start,
                       xml_text(facts));
  return start + "/>\n";
}

/// The value of a label, as the OpenMetrics specification escapes it.
std::string label(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

/// A family of gauges with the same labels for each metric.
template <typename Value>
std::string gauges(const JudgedRuns& runs, std::string_view name, std::string_view help,
                   Value value_of) {
  std::string text = fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
  for (const MetricJudgement& judged : runs.judgement.metrics)
    if (const std::optional<double> value = value_of(judged))
      text += fmt::format("{}{{suite=\"{}\",case=\"{}\",metric=\"{}\",owner=\"{}\"}} {}\n", name,
                          label(runs.changed.suite), label(judged.case_name),
                          label(judged.metric.name), label(judged.owner), *value);
  return text;
}

}  // namespace

std::string judgement_markdown(const JudgedRuns& runs) {
  const Judgement& judgement = runs.judgement;
  std::string text = fmt::format("### {}\n\n{}\n\n", markdown_text(verdict_text(judgement)),
                                 markdown_text(judged_runs_text(runs)));
  for (const CaseProblem& problem : judgement.problems)
    text += fmt::format("- case {} (owner: {}): {}\n", markdown_text(problem.case_name),
                        markdown_text(problem.owner), markdown_text(problem_text(problem)));
  if (!judgement.problems.empty()) text += '\n';
  const auto same = count(judgement, MetricVerdict::Same);
  if (same < judgement.metrics.size()) text += markdown_rows(judgement, false);
  if (same > 0)
    text += fmt::format("\n<details><summary>{} the same</summary>\n\n{}\n</details>\n",
                        counted_text(same, "metric"), markdown_rows(judgement, true));
  return text;
}

std::string judgement_junit(const JudgedRuns& runs) {
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  for (const MetricJudgement& judged : runs.judgement.metrics) {
    cases += junit_case(judged);
    failures += is_regression(judged.verdict) ? 1 : 0;
    skipped +=
        judged.verdict == MetricVerdict::NotJudged || judged.verdict == MetricVerdict::Unclear ? 1
                                                                                               : 0;
  }
  for (const CaseProblem& problem : runs.judgement.problems) {
    const std::string_view kind = problem.is_regression ? "failure" : "skipped";
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">\n      <{} message=\"{}\"/>\n"
        "    </testcase>\n",
        xml_text(problem.case_name), problem.in_base ? "runs in the base" : "runs", kind,
        xml_text(problem_text(problem)));
    (problem.is_regression ? failures : skipped) += 1;
  }
  const std::size_t tests = runs.judgement.metrics.size() + runs.judgement.problems.size();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"{2}\">\n"
      "  <testsuite name=\"{3}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"{2}\">\n"
      "{4}  </testsuite>\n</testsuites>\n",
      tests, failures, skipped, xml_text(runs.changed.suite), cases);
}

std::string judgement_openmetrics(const JudgedRuns& runs) {
  const auto number = [](const MetricJudgement& judged) {
    return judged.changed ? model::number_of(*judged.changed) : std::nullopt;
  };
  const auto ratio = [](const MetricJudgement& judged) {
    return judged.ratio ? std::optional(judged.ratio->value) : std::nullopt;
  };
  const auto regression = [](const MetricJudgement& judged) {
    return std::optional(is_regression(judged.verdict) ? 1.0 : 0.0);
  };
  const auto failed =
      std::ranges::count(runs.judgement.problems, true, &CaseProblem::is_regression);
  return gauges(runs, "overlane_bench_value", "The metric of the changed build.", number) +
         gauges(runs, "overlane_bench_ratio", "The changed build over the base.", ratio) +
         gauges(runs, "overlane_bench_regression", "Whether it is worse, changed or missing.",
                regression) +
         fmt::format(
             "# HELP overlane_bench_failed_cases Cases that failed in the changed build.\n"
             "# TYPE overlane_bench_failed_cases gauge\n"
             "overlane_bench_failed_cases{{suite=\"{0}\"}} {1}\n"
             "# HELP overlane_bench_started_seconds When the run began, in Unix time.\n"
             "# TYPE overlane_bench_started_seconds gauge\n"
             "overlane_bench_started_seconds{{suite=\"{0}\",commit=\"{2}\"}} {3}\n# EOF\n",
             label(runs.changed.suite), failed, label(runs.changed.environment.commit),
             runs.changed.started_ms / 1000);
}

}  // namespace overlane::report
