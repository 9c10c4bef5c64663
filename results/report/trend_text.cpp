#include "results/report/trend_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/finding/one_line.h"
#include "results/report/judgement_phrases.h"
#include "results/report/run_names.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using model::SuiteRun;
using stats::MetricTrend;
using stats::TrendStep;
using stats::Verdict;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 14;

/// Bars from the smallest to the largest value; at most `width`, the latest ones.
std::string bars(const MetricTrend& trend, std::size_t width) {
  constexpr std::array kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t first = trend.points.size() > width ? trend.points.size() - width : 0;
  const auto shown = std::span(trend.points).subspan(first);
  if (shown.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(shown, {}, &stats::TrendPoint::value);
  // A difference that is no change is drawn as none.
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

std::string trend_lines(const std::vector<SuiteRun>& runs, const MetricTrend& trend) {
  const std::string indent(kIndent, ' ');
  std::string text =
      fmt::format("  {:<10}  {}\n", word_of(trend.verdict), one_line(trend.metric.name));
  std::string about =
      fmt::format("{} in {}", what_of(trend), counted_text(trend.points.size(), "run"));
  if (trend.left_out > 0) about += fmt::format(", {} left out", trend.left_out);
  if (trend.verdict == Verdict::NotJudged)
    about += fmt::format("; times are judged from {} runs on", stats::kMinTimes);
  else if (trend.is_drift)
    about += fmt::format("; {} little by little", effect_text(trend.ratio));
  else if (trend.verdict != Verdict::Changed && trend.groups.size() > 1)
    about += fmt::format("; {} in all", effect_text(trend.ratio));
  text += indent + about + '\n';
  text += indent + bars(trend, kWidth - kIndent) + '\n';
  for (const TrendStep& step : trend.steps)
    text += wrapped(indent, step_text(runs, trend, step), kWidth);
  return text;
}

bool is_shown(const MetricTrend& trend, bool all) {
  const bool is_news = trend.verdict != Verdict::Same && trend.verdict != Verdict::NotJudged;
  return all || is_news || !trend.steps.empty();
}

std::string head_text(const std::vector<SuiteRun>& runs, const std::vector<MetricTrend>& trends) {
  std::string counts;
  for (const Verdict verdict : {Verdict::Worse, Verdict::Changed, Verdict::Accepted,
                                Verdict::Better, Verdict::Same, Verdict::NotJudged}) {
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
    text += trend_lines(runs, trend);
  }
  return text;
}

}  // namespace overlane::report
