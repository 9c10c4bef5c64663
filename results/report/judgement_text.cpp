#include "results/report/judgement_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/finding/one_line.h"
#include "results/report/formats/xml.h"
#include "results/report/run_names.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using stats::CaseProblem;
using stats::Judgement;
using stats::MetricJudgement;
using stats::Verdict;

constexpr std::array kVerdicts = {Verdict::Worse,   Verdict::Changed,   Verdict::Missing,
                                  Verdict::Unclear, Verdict::NotJudged, Verdict::Better,
                                  Verdict::New,     Verdict::Same};

std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::NotJudged ? "not judged" : stats::to_string(verdict);
}

std::ptrdiff_t count(const Judgement& judgement, Verdict verdict) {
  return std::ranges::count(judgement.metrics, verdict, &MetricJudgement::verdict);
}

std::string number_text(double number) {
  const double size = std::abs(number);
  if (size == std::floor(size) && size < 1e15) return count_text(static_cast<std::int64_t>(number));
  return size >= 1e6 || size < 1e-3 ? fmt::format("{:.4g}", number)
                                    : fmt::format("{:.{}f}", number, size >= 100 ? 1 : 3);
}

std::string figure_text(const std::optional<model::Figure>& figure) {
  if (!figure) return "nothing";
  if (const auto* text = std::get_if<std::string>(&*figure)) return one_line(*text);
  return number_text(*model::number_of(*figure));
}

std::string change(double ratio, int digits) {
  return fmt::format("{:+.{}f} %", (ratio - 1) * 100, digits);
}

/// "+9.9 % (+8.7 % to +11.2 %)".
std::string effect_text(const MetricJudgement& judged) {
  if (!judged.ratio) return "";
  const int digits = judged.metric.tolerance == model::Tolerance::Instructions ? 2 : 1;
  const std::string effect = change(judged.ratio->value, digits);
  if (judged.ratio->low == judged.ratio->high) return effect;
  return fmt::format("{} ({} to {})", effect, change(judged.ratio->low, digits),
                     change(judged.ratio->high, digits));
}

/// "21.3 → 23.5 ns".
std::string figures_text(const MetricJudgement& judged) {
  const std::string unit = judged.metric.unit.empty() ? "" : " " + judged.metric.unit;
  return fmt::format("{} → {}{}", figure_text(judged.base), figure_text(judged.changed), unit);
}

std::string limit_text(const MetricJudgement& judged) {
  return judged.limit > 0 ? fmt::format("limit {:g} %", judged.limit * 100) : "must be equal";
}

std::string run_text(const model::SuiteRun& run) {
  return fmt::format("{} of {}", commit_text(run), time_text(run));
}

std::string head_text(const JudgedRuns& runs) {
  return fmt::format("{}: {} against {}", runs.changed.suite, run_text(runs.changed),
                     run_text(runs.base));
}

std::string problem_text(const CaseProblem& problem) {
  return fmt::format(
      "{} of the {}: {}",
      problem.status == model::CaseStatus::TimedOut ? "timed out" : to_string(problem.status),
      problem.in_base ? "base" : "changed build", one_line(problem.reason));
}

bool is_shown(const MetricJudgement& judged, bool all) {
  return all || judged.verdict != Verdict::Same;
}

/// The names of the cases with something to show, in their order.
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

std::string metric_lines(const MetricJudgement& judged) {
  constexpr std::size_t kVerdictWidth = 10;
  const std::string effect = effect_text(judged);
  std::string lines = fmt::format("  {:<{}}  {}\n", word_of(judged.verdict), kVerdictWidth,
                                  one_line(judged.metric.name));
  const std::string indent(kVerdictWidth + 4, ' ');
  std::vector<std::string> facts;
  if (!effect.empty()) facts.push_back(effect);
  facts.push_back(figures_text(judged));
  if (judged.verdict != Verdict::New && judged.verdict != Verdict::Missing)
    facts.push_back(limit_text(judged));
  lines += wrapped(indent, fmt::format("{}", fmt::join(facts, "; ")), 80);
  if (!judged.reason.empty()) lines += wrapped(indent, judged.reason, 80);
  return lines;
}

/// Text in a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("|*_`<[\\").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string markdown_rows(const Judgement& judgement, bool same) {
  std::string rows =
      "| verdict | case | metric | change | base → changed | limit | owner |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Verdict verdict : kVerdicts) {
    if ((verdict == Verdict::Same) != same) continue;
    for (const MetricJudgement& judged : judgement.metrics) {
      if (judged.verdict != verdict) continue;
      const std::string reason = judged.reason.empty() ? "" : ": " + judged.reason;
      rows +=
          fmt::format("| {}{} | {} | {} | {} | {} | {} | {} |\n", word_of(verdict), cell(reason),
                      cell(judged.case_name), cell(judged.metric.name), effect_text(judged),
                      cell(figures_text(judged)), limit_text(judged), cell(judged.owner));
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
  if (judged.verdict == Verdict::NotJudged || judged.verdict == Verdict::Unclear)
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", start,
                       xml_text(facts));
  return start + "/>\n";
}

}  // namespace

std::string verdict_text(const Judgement& judgement) {
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts)
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

std::string judgement_text(const JudgedRuns& runs, bool all, Style style) {
  const Judgement& judgement = runs.judgement;
  std::string text = head_text(runs) + '\n' + heading_text(verdict_text(judgement), style) + '\n';
  for (const auto& [name, owner] : shown_cases(judgement, all)) {
    text += fmt::format("\n{} (owner: {})\n", heading_text(one_line(name), style), one_line(owner));
    for (const CaseProblem& problem : judgement.problems)
      if (problem.case_name == name) text += wrapped("  ", problem_text(problem), 80);
    for (const MetricJudgement& judged : judgement.metrics)
      if (judged.case_name == name && is_shown(judged, all)) text += metric_lines(judged);
  }
  return text;
}

std::string judgement_markdown(const JudgedRuns& runs) {
  const Judgement& judgement = runs.judgement;
  std::string text =
      fmt::format("### {}\n\n{}\n\n", cell(verdict_text(judgement)), cell(head_text(runs)));
  for (const CaseProblem& problem : judgement.problems)
    text += fmt::format("- case {} (owner: {}): {}\n", cell(problem.case_name), cell(problem.owner),
                        cell(problem_text(problem)));
  if (!judgement.problems.empty()) text += '\n';
  const auto same = count(judgement, Verdict::Same);
  if (same < std::ssize(judgement.metrics)) text += markdown_rows(judgement, false);
  if (same > 0)
    text += fmt::format("\n<details><summary>{} the same</summary>\n\n{}\n</details>\n",
                        counted_text(static_cast<std::uint64_t>(same), "metric"),
                        markdown_rows(judgement, true));
  return text;
}

std::string judgement_junit(const JudgedRuns& runs) {
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  for (const MetricJudgement& judged : runs.judgement.metrics) {
    cases += junit_case(judged);
    failures += is_regression(judged.verdict) ? 1 : 0;
    skipped += judged.verdict == Verdict::NotJudged || judged.verdict == Verdict::Unclear ? 1 : 0;
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

}  // namespace overlane::report
