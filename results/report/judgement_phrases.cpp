#include "results/report/judgement_phrases.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/finding/one_line.h"
#include "results/report/run_names.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using stats::CaseProblem;
using stats::Judgement;
using stats::MetricJudgement;
using stats::Verdict;

std::string number_text(double number) {
  const double size = std::abs(number);
  if (size == std::floor(size) && size < 1e15) return count_text(static_cast<std::int64_t>(number));
  return size >= 1e6 || size < 1e-3 ? fmt::format("{:.4g}", number)
                                    : fmt::format("{:.{}f}", number, size >= 100 ? 1 : 3);
}

std::string run_text(const model::SuiteRun& run) {
  return fmt::format("{} of {}", commit_text(run), time_text(run));
}

}  // namespace

std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::NotJudged ? "not judged" : stats::to_string(verdict);
}

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

std::size_t count(const Judgement& judgement, Verdict verdict) {
  return static_cast<std::size_t>(
      std::ranges::count(judgement.metrics, verdict, &MetricJudgement::verdict));
}

}  // namespace overlane::report
