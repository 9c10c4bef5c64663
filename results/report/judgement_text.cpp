#include "results/report/judgement_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "results/report/formats/svg.h"
#include "results/report/run_table.h"
#include "results/report/text.h"

namespace overlane::report {

namespace {

using model::SuiteRun;
using stats::CaseProblem;
using stats::Judgement;
using stats::MetricJudgement;
using stats::MetricTrend;
using stats::MetricVerdict;
using stats::TrendStep;

std::string number_text(double number) {
  const double size = std::abs(number);
  if (size == std::floor(size) && size < 1e15) return count_text(static_cast<std::int64_t>(number));
  return size >= 1e6 || size < 1e-3 ? fmt::format("{:.4g}", number)
                                    : fmt::format("{:.{}f}", number, size >= 100 ? 1 : 3);
}

std::string run_text(const model::SuiteRun& run) {
  return fmt::format("{} of {}", commit_text(run), time_text(run));
}

bool is_shown(const MetricJudgement& judged, bool all) {
  return all || judged.verdict != MetricVerdict::Same;
}

/// The names of the cases that have rows, in their order.
std::vector<std::pair<std::string, std::string>> shown_cases(const Judgement& judgement, bool all) {
  std::vector<std::pair<std::string, std::string>> cases;
  const auto add = [&](const std::string& name, const std::string& owner) {
    if (std::ranges::find(cases, name, &std::pair<std::string, std::string>::first) == cases.end())
      cases.emplace_back(name, owner);
  };
  for (const CaseProblem& problem : judgement.problems)
    add(problem.case_name, problem.owner);
  for (const MetricJudgement& judged : judgement.metrics)
    if (is_shown(judged, all)) add(judged.case_name, judged.owner);
  return cases;
}

answer::Tone tone_of(MetricVerdict verdict) {
  if (stats::is_regression(verdict)) return answer::Tone::Bad;
  switch (verdict) {
    case MetricVerdict::Better:
      return answer::Tone::Good;
    case MetricVerdict::Accepted:
    case MetricVerdict::Unclear:
      return answer::Tone::Warning;
    default:
      return answer::Tone::Plain;
  }
}

constexpr std::size_t kVerdictWidth = 10;

std::string verdict_cell(MetricVerdict verdict, Style style) {
  const std::string word = fmt::format("{:<{}}", word_of(verdict), kVerdictWidth);
  return toned_text(word, tone_of(verdict), style);
}

std::string metric_lines(const MetricJudgement& judged, Style style) {
  const std::string effect = effect_text(judged);
  std::string lines =
      fmt::format("  {}  {}\n", verdict_cell(judged.verdict, style), one_line(judged.metric.name));
  const std::string indent(kVerdictWidth + 4, ' ');
  std::vector<std::string> facts;
  if (!effect.empty()) facts.push_back(effect);
  facts.push_back(figures_text(judged));
  if (judged.verdict != MetricVerdict::New && judged.verdict != MetricVerdict::Missing)
    facts.push_back(limit_text(judged));
  lines += wrapped(indent, fmt::format("{}", fmt::join(facts, "; ")), 80);
  if (!judged.reason.empty()) lines += wrapped(indent, judged.reason, 80);
  return lines;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string step(const std::optional<double>& found) {
  return found ? fmt::format("{:g} %", *found * 100) : std::string("none");
}

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 14;

/// The latest values, at most `width`, as bars that range from the smallest to the largest value.
std::string bars(const MetricTrend& trend, std::size_t width) {
  constexpr std::array kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t first = trend.points.size() > width ? trend.points.size() - width : 0;
  const auto shown = std::span(trend.points).subspan(first);
  if (shown.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(shown, {}, &stats::TrendPoint::value);
  // Bars span at least the limit, so that noise does not look like a change.
  const double limit = std::max(stats::limit_of(trend.metric.tolerance), 1e-6);
  const double range = std::max(most->value - least->value, limit * std::abs(least->value));
  std::string text;
  for (const stats::TrendPoint& point : shown) {
    const double share = range > 0 ? (point.value - least->value) / range : 0;
    text += kBars[std::min<std::size_t>(static_cast<std::size_t>(share * kBars.size()),
                                        kBars.size() - 1)];
  }
  return text;
}

std::string what_of(const MetricTrend& trend) {
  switch (trend.of) {
    case stats::TrendOf::Value:
      return "value";
    case stats::TrendOf::Base:
      return "over the base";
    case stats::TrendOf::Yardstick:
      return "over the yardstick";
  }
  return "";
}

std::string step_text(const std::vector<SuiteRun>& runs, const MetricTrend& trend,
                      const TrendStep& step) {
  const SuiteRun& before = runs[step.before];
  const SuiteRun& after = runs[step.after];
  const std::string effect =
      trend.metric.better == model::Better::Neither
          ? std::string("changed")
          : fmt::format("{} {}", effect_text(step.ratio), step.is_worse ? "(worse)" : "(better)");
  return fmt::format("{} on {} with {}, after {}", effect, date_text(after), commit_text(after),
                     commit_text(before));
}

std::string trend_lines(const std::vector<SuiteRun>& runs, const MetricTrend& trend, Style style) {
  const std::string indent(kIndent, ' ');
  std::string text =
      fmt::format("  {}  {}\n", verdict_cell(trend.verdict, style), one_line(trend.metric.name));
  std::string about =
      fmt::format("{} in {}", what_of(trend), counted_text(trend.points.size(), "run"));
  if (trend.left_out > 0) about += fmt::format(", {} left out", trend.left_out);
  if (trend.verdict == MetricVerdict::NotJudged)
    about += fmt::format("; times are judged from {} runs on", stats::kMinTimes);
  else if (trend.is_drift)
    about += fmt::format("; {} little by little", effect_text(trend.ratio));
  else if (trend.verdict != MetricVerdict::Changed && trend.groups.size() > 1)
    about += fmt::format("; {} in all", effect_text(trend.ratio));
  text += indent + about + '\n';
  text += indent + bars(trend, kWidth - kIndent) + '\n';
  for (const TrendStep& step : trend.steps)
    text += wrapped(indent, step_text(runs, trend, step), kWidth);
  return text;
}

bool is_shown(const MetricTrend& trend, bool all) {
  const bool is_news =
      trend.verdict != MetricVerdict::Same && trend.verdict != MetricVerdict::NotJudged;
  return all || is_news || !trend.steps.empty();
}

std::string head_text(const std::vector<SuiteRun>& runs, const std::vector<MetricTrend>& trends) {
  std::string counts;
  for (const MetricVerdict verdict :
       {MetricVerdict::Worse, MetricVerdict::Changed, MetricVerdict::Accepted,
        MetricVerdict::Better, MetricVerdict::Same, MetricVerdict::NotJudged}) {
    const auto count = std::ranges::count(trends, verdict, &MetricTrend::verdict);
    if (count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word_of(verdict));
  }
  const auto nights = std::ranges::count(runs, model::RunPurpose::Judged, &SuiteRun::purpose);
  return fmt::format("{}: {} from {} to {}: {}", runs.back().suite,
                     counted_text(static_cast<std::uint64_t>(nights), "run"),
                     date_text(runs.front()), date_text(runs.back()),
                     counts.empty() ? "no metrics" : counts);
}

}  // namespace

std::string_view word_of(MetricVerdict verdict) {
  return verdict == MetricVerdict::NotJudged ? "not judged" : stats::to_string(verdict);
}

std::string verdict_text(const Judgement& judgement) {
  std::vector<std::string> counts;
  for (const MetricVerdict verdict : kVerdicts)
    if (const auto found = count(judgement, verdict); found > 0)
      counts.push_back(fmt::format("{} {}", found, word_of(verdict)));
  const auto failed = std::ranges::count(judgement.problems, true, &CaseProblem::is_regression);
  if (failed > 0)
    counts.insert(counts.begin(),
                  counted_text(static_cast<std::uint64_t>(failed), "case") + " failed");
  return fmt::format(
      "{}: {}", judgement.any_regression() ? "regression" : "clean",
      counts.empty() ? "nothing to compare" : fmt::format("{}", fmt::join(counts, ", ")));
}

std::string judged_runs_text(const JudgedRuns& runs) {
  return fmt::format("{}: {} against {}", runs.changed.suite, run_text(runs.changed),
                     run_text(runs.base));
}

std::string figure_text(const std::optional<model::Figure>& figure) {
  if (!figure) return "nothing";
  if (const auto* text = std::get_if<std::string>(&*figure)) return one_line(*text);
  return number_text(*model::number_of(*figure));
}

std::string effect_text(double ratio, int digits) {
  return fmt::format("{:+.{}f} %", (ratio - 1) * 100, digits);
}

std::string effect_text(const MetricJudgement& judged) {
  if (!judged.ratio) return "";
  const int digits = judged.metric.tolerance == model::Tolerance::Instructions ? 2 : 1;
  const std::string effect = effect_text(judged.ratio->value, digits);
  if (judged.ratio->low == judged.ratio->high) return effect;
  return fmt::format("{} ({} to {})", effect, effect_text(judged.ratio->low, digits),
                     effect_text(judged.ratio->high, digits));
}

std::string figures_text(const MetricJudgement& judged) {
  const std::string unit = judged.metric.unit.empty() ? "" : " " + judged.metric.unit;
  return fmt::format("{} → {}{}", figure_text(judged.base), figure_text(judged.changed), unit);
}

std::string limit_text(const MetricJudgement& judged) {
  return judged.limit > 0 ? fmt::format("limit {:g} %", judged.limit * 100) : "must be equal";
}

std::string problem_text(const CaseProblem& problem) {
  return fmt::format(
      "{} of the {}: {}",
      problem.status == model::CaseStatus::TimedOut ? "timed out" : to_string(problem.status),
      problem.in_base ? "base" : "changed build", one_line(problem.reason));
}

std::size_t count(const Judgement& judgement, MetricVerdict verdict) {
  return static_cast<std::size_t>(
      std::ranges::count(judgement.metrics, verdict, &MetricJudgement::verdict));
}

std::string judgement_text(const JudgedRuns& runs, bool all, Style style) {
  const Judgement& judgement = runs.judgement;
  std::string text =
      judged_runs_text(runs) + '\n' +
      toned_text(verdict_text(judgement),
                 judgement.any_regression() ? answer::Tone::Bad : answer::Tone::Good, style) +
      '\n';
  for (const auto& [name, owner] : shown_cases(judgement, all)) {
    text += fmt::format("\n{} (owner: {})\n", heading_text(one_line(name), style), one_line(owner));
    for (const CaseProblem& problem : judgement.problems)
      if (problem.case_name == name) text += wrapped("  ", problem_text(problem), 80);
    for (const MetricJudgement& judged : judgement.metrics)
      if (judged.case_name == name && is_shown(judged, all)) text += metric_lines(judged, style);
  }
  return text;
}

std::string noise_text(const std::vector<stats::MetricNoise>& noise, std::size_t night_rounds,
                       Style style) {
  if (noise.empty()) return "No case has enough rounds of a time.\n";
  ColumnTable table({"noise", "alarms", "trends", "1 night", "5 nights", "20 nights"});
  for (const stats::MetricNoise& one : noise) {
    table.heading(one_line(one.case_name + ": " + one.metric.name));
    const stats::Power& power = one.power;
    table.row("", {percent(power.noise_floor), percent(power.false_alarms),
                   percent(power.false_trends), step(power.found_in_a_night),
                   step(power.found_in_5_nights), step(power.found_in_20_nights)});
  }
  return table.to_string(style) + '\n' +
         wrapped("",
                 fmt::format("noise: 99 % of nights of {} show a smaller difference between equal "
                             "builds. alarms, trends: the share of nights, and of fortnights, that "
                             "would be called worse. 1 night …: the smallest slow-down that is "
                             "found in nine of ten cases, by the comparison of one night and by "
                             "the trend when so many nights have it.",
                             counted_text(night_rounds, "round")),
                 80);
}

std::string trend_text(const std::vector<SuiteRun>& runs, const std::vector<MetricTrend>& trends,
                       bool all, Style style) {
  std::string text = heading_text(head_text(runs, trends), style) + '\n';
  std::string current;
  for (const MetricTrend& trend : trends) {
    if (!is_shown(trend, all)) continue;
    if (trend.case_name != current) {
      current = trend.case_name;
      text += fmt::format("\n{} (owner: {})\n", heading_text(one_line(current), style),
                          one_line(trend.owner));
    }
    text += trend_lines(runs, trend, style);
  }
  return text;
}

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
