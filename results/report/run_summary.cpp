#include "results/report/run_summary.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/model/run_report_json.h"
#include "results/model/traffic_figures.h"
#include "results/report/run_notes.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using model::Comparison;
using model::RunReport;
using model::TrafficResult;
using model::Variant;

constexpr std::size_t kSummaryWidth = 80;
constexpr std::size_t kMostVerdictLines = 6;
constexpr std::size_t kMostRows = 7;
/// Differences below one percent do not make a variant better or worse.
constexpr std::int64_t kNoticeablePpm = 10'000;

/// The shipped profile: the mean of the measured hosts (docs/reference/fidelity.md).
constexpr std::string_view kMeanProfile = "linux-server";

constexpr std::string_view kGoodput = "goodput_bps";
constexpr std::string_view kLatency = "latency_ns.p50";

/// A kind of change that a verdict mentions: a metric that rises or falls.
struct Effect {
  std::string_view metric;
  bool rises;
  bool is_harm;
  std::string_view text;
};
constexpr std::array kEffects = {
    Effect{kGoodput, false, true, "less goodput"}, Effect{kLatency, true, true, "more latency"},
    Effect{kGoodput, true, false, "more goodput"}, Effect{kLatency, false, false, "less latency"}};

std::int64_t change_ppm(const Comparison& comparison) {
  return comparison.ratio_ppm.value_or(1'000'000) - 1'000'000;
}

const TrafficResult* result_of(const Variant& variant, const std::string& traffic) {
  const auto found = std::ranges::find(variant.traffic, traffic, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

std::string_view metric_of(const TrafficResult& result) {
  return model::judged_figure(result.kind);
}

/// The largest change of this kind; null if none is noticeable.
const Comparison* strongest(const RunReport& report, const Variant& variant, const Effect& effect) {
  const Comparison* found = nullptr;
  for (const Comparison& comparison : report.comparison) {
    const TrafficResult* result = result_of(variant, comparison.traffic);
    if (comparison.variant != variant.name || comparison.metric != effect.metric) continue;
    if (result == nullptr || metric_of(*result) != effect.metric) continue;
    const std::int64_t change = change_ppm(comparison);
    if ((change > 0) != effect.rises || std::abs(change) < kNoticeablePpm) continue;
    if (found == nullptr || std::abs(change) > std::abs(change_ppm(*found))) found = &comparison;
  }
  return found;
}

/// "ipip is worse than routed: up to 28.2 % less goodput (small-datagrams)".
std::string verdict_on(const RunReport& report, const Variant& variant,
                       const std::string& baseline) {
  bool harm = false;
  bool gain = false;
  std::vector<std::string> parts;
  for (const Effect& effect : kEffects) {
    const Comparison* comparison = strongest(report, variant, effect);
    if (comparison == nullptr) continue;
    (effect.is_harm ? harm : gain) = true;
    parts.push_back(fmt::format("up to {} {} ({})", percent_text(std::abs(change_ppm(*comparison))),
                                effect.text, comparison->traffic));
  }
  if (parts.empty())
    return fmt::format("{} is as good as {}: all figures differ by less than 1 %", variant.name,
                       baseline);
  const std::string_view kind = harm && gain ? "better and worse" : harm ? "worse" : "better";
  return fmt::format("{} is {} than {}: {}", variant.name, kind, baseline, fmt::join(parts, ", "));
}

/// The name of the baseline; empty if nothing was compared.
std::string baseline_of(const RunReport& report) {
  return report.comparison.empty() ? "" : report.comparison.front().baseline;
}

bool is_compared(const RunReport& report, const Variant& variant) {
  return std::ranges::find(report.comparison, variant.name, &Comparison::variant) !=
         report.comparison.end();
}

std::vector<std::string> verdicts(const RunReport& report) {
  const std::string baseline = baseline_of(report);
  std::vector<std::string> texts;
  for (const Variant& variant : report.variants) {
    if (variant.status != model::VariantStatus::Ok)
      texts.push_back(
          fmt::format("{} ({}): {}", variant.name, to_string(variant.status), variant.reason));
    else if (is_compared(report, variant))
      texts.push_back(verdict_on(report, variant, baseline));
  }
  if (baseline.empty())
    texts.emplace_back("Nothing to compare: fewer than two variants ran in full.");
  return texts;
}

/// As many complete verdicts as fit.
std::string verdict_lines(const RunReport& report) {
  const std::vector<std::string> texts = verdicts(report);
  std::string lines;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string next = lines + wrapped("  ", texts[i], kSummaryWidth);
    const auto count = static_cast<std::size_t>(std::ranges::count(next, '\n'));
    const std::size_t room = kMostVerdictLines - (i + 1 < texts.size() ? 1 : 0);
    if (i > 0 && count > room) return lines + fmt::format("  … and {} more\n", texts.size() - i);
    lines = next;
  }
  return lines;
}

/// "ipip drops packets: mtu-exceeded 7" for each variant that dropped any.
std::string drop_lines(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants) {
    DropCounts drops;
    for (const TrafficResult& result : variant.traffic)
      if (!stays_in_one_zone(report, result.name)) drops += result.drops;
    std::vector<std::string> reasons;
    for (const DropFacts& reason : kDrops)
      if (drops[reason.drop] > 0)
        reasons.push_back(fmt::format("{} {}", reason.name, count_text(drops[reason.drop])));
    if (!reasons.empty())
      lines +=
          wrapped("  ", fmt::format("{} drops packets: {}", variant.name, fmt::join(reasons, ", ")),
                  kSummaryWidth);
  }
  return lines;
}

/// "routed: 2 of 4 flows of requests interrupted, up to 3.211 s".
std::string interruption_lines(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants)
    for (const TrafficResult& result : variant.traffic) {
      if (!result.interruptions || result.interruptions->interrupted == 0) continue;
      const model::Interruptions& found = *result.interruptions;
      lines += wrapped(
          "  ",
          fmt::format(
              "{}: {} of {} flows of {} interrupted, up to {}{}", variant.name, found.interrupted,
              found.flows, result.name, duration_text(found.longest_ns.max()),
              found.not_resumed > 0 ? fmt::format(", {} not resumed", found.not_resumed) : ""),
          kSummaryWidth);
    }
  return lines;
}

std::string absolute_text(const TrafficResult& result) {
  if (metric_of(result) == kGoodput) return rate_text(result.goodput_bps);
  if (result.latency_ns.count() == 0) return "";
  return duration_text(result.latency_ns.quantile(50, 100));
}

/// " ± 3.0 Mbit/s": the 95 % confidence interval of a figure of a repeated run.
std::string interval_text(const TrafficResult& result) {
  const std::string_view metric = metric_of(result);
  const auto figure = std::ranges::find(result.repeated, metric, &model::RepeatedFigure::metric);
  if (figure == result.repeated.end()) return "";
  const auto interval = model::mean_interval(figure->values);
  if (!interval) return "";
  const auto half = static_cast<std::int64_t>(interval->half_width + 0.5);
  return " ± " + (metric == kGoodput ? rate_text(half) : duration_text(half));
}

/// " ± 0.2": the interval, in percent, of a change of a repeated run.
std::string interval_text(const Comparison& comparison) {
  const auto interval = model::mean_interval(comparison.repeated_ppm);
  return interval ? fmt::format(" ± {:.1f}", interval->half_width / 1e4) : "";
}

/// Which figures of a repeated run are shown with their intervals.
enum class Intervals { All, OfChanges, None };

/// The change against the baseline, or the figure itself if there is no comparison.
std::string summary_cell(const RunReport& report, const Variant& variant,
                         const std::string& traffic, Intervals intervals) {
  const TrafficResult* result = result_of(variant, traffic);
  if (result == nullptr) return "";
  for (const Comparison& comparison : report.comparison) {
    if (comparison.traffic == traffic && comparison.metric == metric_of(*result) &&
        comparison.variant == variant.name && comparison.ratio_ppm)
      return change_text(*comparison.ratio_ppm) +
             (intervals == Intervals::None ? "" : interval_text(comparison));
  }
  return absolute_text(*result) + (intervals == Intervals::All ? interval_text(*result) : "");
}

/// The traffic groups in order of first appearance, without those that stay in one zone.
std::vector<const TrafficResult*> groups_of(const RunReport& report) {
  std::vector<const TrafficResult*> groups;
  for (const Variant& variant : report.variants) {
    for (const TrafficResult& result : variant.traffic) {
      if (stays_in_one_zone(report, result.name)) continue;
      const auto same = [&](const TrafficResult* known) { return known->name == result.name; };
      if (std::ranges::none_of(groups, same)) groups.push_back(&result);
    }
  }
  return groups;
}

/// The baseline comes first.
std::vector<const Variant*> variants_in_order(const RunReport& report) {
  std::vector<const Variant*> variants;
  for (const Variant& variant : report.variants)
    variants.push_back(&variant);
  const std::string baseline = baseline_of(report);
  std::ranges::stable_partition(variants, [&](const Variant* v) { return v->name == baseline; });
  return variants;
}

std::string table_of(const RunReport& report, const std::vector<const Variant*>& variants,
                     Intervals intervals, Style style) {
  std::vector<std::string> names;
  for (const Variant* variant : variants)
    names.push_back(variant->name);
  ColumnTable table(std::move(names));
  const std::vector<const TrafficResult*> groups = groups_of(report);
  for (std::size_t i = 0; i < std::min(groups.size(), kMostRows); ++i) {
    std::vector<std::string> row;
    for (const Variant* variant : variants)
      row.push_back(summary_cell(report, *variant, groups[i]->name, intervals));
    table.row(fmt::format("{}, {}", groups[i]->name,
                          metric_of(*groups[i]) == kLatency ? "latency p50" : "goodput"),
              std::move(row));
  }
  return table.to_string(style);
}

bool fits_screen(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (display_width(std::string_view(text).substr(begin, end - begin)) > kSummaryWidth)
      return false;
    begin = end + 1;
  }
  return text.find("\n\n") == std::string::npos;  // Empty lines separate split tables.
}

/// The table, and lines that count the omitted rows and columns.
std::string summary_table(const RunReport& report, Style style) {
  std::vector<const Variant*> variants = variants_in_order(report);
  const auto fits = [&](Intervals intervals) {
    return fits_screen(table_of(report, variants, intervals, Style::Plain));
  };
  Intervals intervals = Intervals::All;
  if (!fits(intervals)) intervals = Intervals::OfChanges;
  if (!fits(intervals)) intervals = Intervals::None;
  while (variants.size() > 1 && !fits(intervals))
    variants.pop_back();
  std::string text = table_of(report, variants, intervals, style);
  const auto left_out = [&](std::size_t all, std::size_t shown, std::string_view name) {
    if (all <= shown) return;
    text += fmt::format("  … and {} more {}{}\n", all - shown, name, all - shown == 1 ? "" : "s");
  };
  left_out(groups_of(report).size(), kMostRows, "traffic group");
  left_out(report.variants.size(), variants.size(), "variant");
  return text;
}

std::string facts_line(const RunReport& report) {
  const std::size_t assumed = report.assumptions.size();
  const std::size_t found = report.findings.size();
  return fmt::format("  {} value{} assumed, {} finding{}, result hash {}\n", assumed,
                     assumed == 1 ? "" : "s", found, found == 1 ? "" : "s",
                     model::result_hash(report));
}

/// One line on how far to trust the figures.
std::string certainty_line(const RunReport& report) {
  if (cpu_time_is_free(report)) return "";
  return report.cost_profile == kMeanProfile
             ? "  Values are assumed and costs are a mean of hosts: trust the order of variants.\n"
             : "  Values are assumed and hosts differ in cost: trust the order of variants.\n";
}

}  // namespace

std::string run_summary(const RunReport& report, Style style) {
  return heading_text(report.scenario, style) + '\n' + verdict_lines(report) + drop_lines(report) +
         interruption_lines(report) + '\n' + summary_table(report, style) + '\n' +
         facts_line(report) + certainty_line(report);
}

}  // namespace overlane::report
