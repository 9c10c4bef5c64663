#include "results/report/judgement_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/finding/one_line.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using stats::CaseProblem;
using stats::Judgement;
using stats::MetricJudgement;
using stats::Verdict;

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

}  // namespace

std::string judgement_text(const JudgedRuns& runs, bool all, Style style) {
  const Judgement& judgement = runs.judgement;
  std::string text =
      judged_runs_text(runs) + '\n' + heading_text(verdict_text(judgement), style) + '\n';
  for (const auto& [name, owner] : shown_cases(judgement, all)) {
    text += fmt::format("\n{} (owner: {})\n", heading_text(one_line(name), style), one_line(owner));
    for (const CaseProblem& problem : judgement.problems)
      if (problem.case_name == name) text += wrapped("  ", problem_text(problem), 80);
    for (const MetricJudgement& judged : judgement.metrics)
      if (judged.case_name == name && is_shown(judged, all)) text += metric_lines(judged);
  }
  return text;
}

}  // namespace overlane::report
