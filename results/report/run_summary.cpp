#include "results/report/run_summary.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/model/run_report.h"
#include "results/model/run_report_json.h"
#include "results/report/run_document.h"
#include "results/report/run_effects.h"
#include "results/report/text.h"

namespace overlane::report {

namespace {

using model::Comparison;
using model::RunReport;
using model::TrafficResult;
using model::VariantResult;

constexpr std::size_t kSummaryWidth = 80;
constexpr std::size_t kMaxVerdictLines = 6;
constexpr std::size_t kMaxRows = 7;
constexpr std::size_t kMaxEffects = 2;  // Per variant; the table has all effects.
/// The shipped profile: the mean of the measured hosts (docs/reference/fidelity.md).
constexpr std::string_view kMeanProfile = "linux-server";

constexpr std::string_view kGoodput = "goodput_bps";
constexpr std::string_view kLatency = "latency_ns.p50";

const TrafficResult* result_of(const VariantResult& variant, const std::string& traffic) {
  const auto found = std::ranges::find(variant.traffic, traffic, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

std::string_view metric_of(const TrafficResult& result) {
  return model::judged_figure(result);
}

/// Connections that work in the variant or in the baseline, but not in both: pods that do not reach
/// each other, and flows that an event interrupts.
struct DeliveryEffects {
  std::vector<std::string> parts;  ///< "0 of 4 flows of requests interrupted (routed: 2)".
  bool is_harm = false;
  bool is_gain = false;
};

/// Requires that `variant` ran completely.
DeliveryEffects delivery_effects(const VariantResult& variant, const VariantResult& baseline) {
  DeliveryEffects effects;
  if (baseline.status == model::VariantStatus::Partial &&
      baseline.ending == model::Ending::Complete) {
    effects.is_gain = true;
    effects.parts.push_back(
        fmt::format("pods reach each other that do not with {}", baseline.name));
  }
  for (const TrafficResult& result : variant.traffic) {
    const TrafficResult* before = result_of(baseline, result.name);
    if (before == nullptr || !before->interruptions || !result.interruptions) continue;
    const model::Interruptions& now = *result.interruptions;
    const model::Interruptions& then = *before->interruptions;
    const auto add = [&](std::int64_t count, std::int64_t instead, std::string_view what) {
      if (count == instead) return;
      (count > instead ? effects.is_harm : effects.is_gain) = true;
      effects.parts.push_back(fmt::format("{} of {} flows of {} {} ({}: {})", count, now.flows,
                                          result.name, what, baseline.name, instead));
    };
    add(now.interrupted, then.interrupted, "interrupted");
    add(now.not_resumed, then.not_resumed, "not resumed");
  }
  return effects;
}

/// "ipip is worse than routed: up to 49.9 % less goodput (many-flows), up to 5.3 % more median
/// latency (requests)": pods and flows that are not reached, then the largest effects, at most
/// `most` of each together. `queued` is queued_latency_text(), which comes last, is not one of them
/// and does not judge.
std::string verdict_on(const std::vector<Effect>& effects, DeliveryEffects delivery,
                       const VariantResult& variant, const std::string& baseline, std::size_t most,
                       const std::string& queued) {
  bool harm = delivery.is_harm;
  bool gain = delivery.is_gain;
  std::vector<std::string> parts = std::move(delivery.parts);
  parts.resize(std::min(parts.size(), most));
  std::size_t shown = 0;
  for (const Effect& effect : effects) {
    (effect.is_harm ? harm : gain) = true;
    if (shown++ >= most) continue;
    parts.push_back(fmt::format("up to {} {} ({})", percent_text(effect.change_ppm), effect.what,
                                effect.comparison->traffic));
  }
  if (parts.empty())
    return fmt::format("{} is as good as {}: goodput, latency and connections within 1 %{}{}",
                       variant.name, baseline, queued.empty() ? "" : ", ", queued);
  if (!queued.empty()) parts.push_back(queued);
  const std::string_view kind = harm && gain ? "better and worse" : harm ? "worse" : "better";
  return fmt::format("{} is {} than {}: {}", variant.name, kind, baseline, fmt::join(parts, ", "));
}

/// The name of the baseline; empty if nothing was compared.
std::string baseline_of(const RunReport& report) {
  return report.comparison.empty() ? "" : report.comparison.front().baseline;
}

bool is_compared(const RunReport& report, const VariantResult& variant) {
  return std::ranges::find(report.comparison, variant.name, &Comparison::variant) !=
         report.comparison.end();
}

/// The reason why the report has no comparison.
std::string not_compared_text(const RunReport& report) {
  const auto is_ok = [](const VariantResult& variant) {
    return variant.status == model::VariantStatus::Ok;
  };
  if (std::ranges::count_if(report.variants, is_ok) < 2)
    return "Nothing to compare: fewer than two variants ran in full.";
  const auto failed = std::ranges::find_if_not(report.variants, is_ok);
  if (failed == report.variants.end())
    return "Nothing to compare: no figure is known of two variants.";
  return fmt::format("Nothing to compare with: {} did not run in full.", failed->name);
}

/// The variants without results first, then the others: those that carry other connections than the
/// baseline, then by their largest effect. A measurement has too much noise for verdicts.
std::vector<std::string> verdicts(const RunReport& report, std::size_t most_effects) {
  const bool is_simulated = report.executor == model::Executor::Sim;
  const std::string baseline = baseline_of(report);
  const auto base = std::ranges::find(report.variants, baseline, &VariantResult::name);
  std::vector<std::string> texts;
  std::vector<std::pair<double, std::string>> by_effect;
  for (const VariantResult& variant : report.variants) {
    if (variant.status != model::VariantStatus::Ok) {
      texts.push_back(
          fmt::format("{} ({}): {}", variant.name, to_string(variant.status), variant.reason));
      continue;
    }
    // The condition under which pods reach each other.
    if (!variant.reason.empty())
      texts.push_back(fmt::format("{}: {}", variant.name, variant.reason));
    if (is_simulated && is_compared(report, variant)) {
      const std::vector<Effect> effects = largest_effects(report, variant);
      DeliveryEffects delivery;
      if (base != report.variants.end()) delivery = delivery_effects(variant, *base);
      const double factor = !delivery.parts.empty() ? std::numeric_limits<double>::infinity()
                            : effects.empty()       ? 1
                                                    : effects.front().factor;
      by_effect.emplace_back(
          factor, verdict_on(effects, std::move(delivery), variant, baseline, most_effects,
                             queued_latency_text(report, variant)));
    }
  }
  std::ranges::stable_sort(by_effect, std::ranges::greater{},
                           &std::pair<double, std::string>::first);
  for (auto& [factor, text] : by_effect)
    texts.push_back(std::move(text));
  if (is_simulated && baseline.empty()) texts.push_back(not_compared_text(report));
  return texts;
}

/// The first verdicts that fit completely, and whether they hold for all traffic.
std::string verdict_lines(const RunReport& report) {
  const std::vector<std::string> texts = verdicts(report, kMaxEffects);
  const std::string order = order_text(report);
  const std::string last = order.empty() ? "" : wrapped("  ", order, kSummaryWidth);
  const auto room_of_order = static_cast<std::size_t>(std::ranges::count(last, '\n'));
  std::string lines;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string next = lines + wrapped("  ", texts[i], kSummaryWidth);
    const auto count = static_cast<std::size_t>(std::ranges::count(next, '\n'));
    const std::size_t room = kMaxVerdictLines - room_of_order - (i + 1 < texts.size() ? 1 : 0);
    if (i > 0 && count > room)
      return lines + fmt::format("  … and {} more\n", texts.size() - i) + last;
    lines = next;
  }
  return lines + last;
}

/// "a fabric queue is full (fabric-queue-full)".
std::string reason_text(const DropFacts& reason) {
  return fmt::format("{} ({})", reason.meaning, reason.name);
}

/// "ipip drops 7 packets: a fabric queue is full (fabric-queue-full)" for each variant that dropped
/// any; one text if they all dropped for the same reason.
std::vector<std::string> drop_texts(const RunReport& report) {
  std::vector<std::pair<std::string, DropCounts>> dropping;
  std::vector<Drop> reasons;
  for (const VariantResult& variant : report.variants) {
    DropCounts drops;
    for (const TrafficResult& result : variant.traffic)
      if (!stays_in_one_zone(report, result.name)) drops += result.drops;
    bool any = false;
    for (const DropFacts& reason : kDrops) {
      if (drops[reason.drop] == 0) continue;
      any = true;
      if (std::ranges::find(reasons, reason.drop) == reasons.end()) reasons.push_back(reason.drop);
    }
    if (any) dropping.emplace_back(variant.name, drops);
  }
  if (dropping.size() > 1 && reasons.size() == 1) {
    std::vector<std::string> counts;
    for (const auto& [variant, drops] : dropping)
      counts.push_back(fmt::format("{} {}", variant, count_text(drops[reasons.front()])));
    return {fmt::format("Dropped packets: {}; {}", fmt::join(counts, ", "),
                        reason_text(facts(reasons.front())))};
  }
  std::vector<std::string> texts;
  for (const auto& [variant, drops] : dropping) {
    std::vector<std::string> counts;
    for (const DropFacts& reason : kDrops)
      if (const auto count = drops[reason.drop]; count > 0)
        counts.push_back(fmt::format("{}: {}",
                                     counts.empty()
                                         ? counted_text(static_cast<std::uint64_t>(count), "packet")
                                         : count_text(count),
                                     reason_text(reason)));
    texts.push_back(fmt::format("{} drops {}", variant, fmt::join(counts, "; ")));
  }
  return texts;
}

/// "routed: 2 of 4 flows of requests interrupted, up to 3.211 s".
void add_interruptions(const RunReport& report, std::vector<std::string>& texts) {
  for (const VariantResult& variant : report.variants)
    for (const TrafficResult& result : variant.traffic) {
      if (!result.interruptions || result.interruptions->interrupted == 0) continue;
      const model::Interruptions& found = *result.interruptions;
      texts.push_back(fmt::format(
          "{}: {} of {} flows of {} interrupted, up to {}{}", variant.name, found.interrupted,
          found.flows, result.name, duration_text(found.longest_ns.max()),
          found.not_resumed > 0 ? fmt::format(", {} not resumed", found.not_resumed) : ""));
    }
}

std::string absolute_text(const TrafficResult& result) {
  if (metric_of(result) == kGoodput) return rate_text(result.goodput_bps);
  if (result.connections_per_second) return count_text(*result.connections_per_second);
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
  return " ± " + (metric == kGoodput   ? rate_text(half)
                  : metric == kLatency ? duration_text(half)
                                       : count_text(half));
}

/// " ± 0.2": the interval, in percent, of a change of a repeated run.
std::string interval_text(const Comparison& comparison) {
  const auto interval = model::mean_interval(comparison.repeated_ppm);
  return interval ? fmt::format(" ± {:.1f}", interval->half_width / 1e4) : "";
}

/// Which figures of a repeated run are shown with their intervals, and the digits of ranges.
struct Precision {
  enum class Intervals : std::uint8_t { All, OfChanges, None } intervals;
  RangeDigits ranges = RangeDigits::Tenths;
};
using Intervals = Precision::Intervals;
/// The layouts to try, from the widest to the narrowest.
constexpr std::array kPrecisions = {Precision{Intervals::All}, Precision{Intervals::OfChanges},
                                    Precision{Intervals::None},
                                    Precision{Intervals::None, RangeDigits::Whole}};

/// The change against the baseline, or the figure itself if there is no comparison.
std::string summary_cell(const RunReport& report, const VariantResult& variant,
                         const std::string& traffic, Precision precision) {
  const TrafficResult* result = result_of(variant, traffic);
  if (result == nullptr) return "";
  for (const Comparison& comparison : report.comparison) {
    if (comparison.traffic == traffic && comparison.metric == metric_of(*result) &&
        comparison.variant == variant.name && comparison.ratio_ppm)
      return change_text(comparison, precision.ranges) +
             (precision.intervals == Intervals::None ? "" : interval_text(comparison));
  }
  return absolute_text(*result) +
         (precision.intervals == Intervals::All ? interval_text(*result) : "");
}

/// The traffic groups in order of first appearance, without those that stay in one zone.
std::vector<const TrafficResult*> groups_of(const RunReport& report) {
  std::vector<const TrafficResult*> groups;
  for (const VariantResult& variant : report.variants) {
    for (const TrafficResult& result : variant.traffic) {
      if (stays_in_one_zone(report, result.name)) continue;
      const auto same = [&](const TrafficResult* known) { return known->name == result.name; };
      if (std::ranges::none_of(groups, same)) groups.push_back(&result);
    }
  }
  return groups;
}

/// The baseline comes first.
std::vector<const VariantResult*> variants_in_order(const RunReport& report) {
  std::vector<const VariantResult*> variants;
  for (const VariantResult& variant : report.variants)
    variants.push_back(&variant);
  const std::string baseline = baseline_of(report);
  std::ranges::stable_partition(variants,
                                [&](const VariantResult* v) { return v->name == baseline; });
  return variants;
}

/// "requests, latency": the group and its judged figure; latency is the median.
std::string row_label(const TrafficResult& group) {
  const std::string_view metric = metric_of(group);
  return fmt::format("{}, {}", group.name,
                     metric == kLatency   ? "latency"
                     : metric == kGoodput ? "goodput"
                                          : "per second");
}

std::string table_of(const RunReport& report, const std::vector<const VariantResult*>& variants,
                     Precision precision, Style style) {
  std::vector<std::string> names;
  for (const VariantResult* variant : variants)
    names.push_back(variant->name);
  ColumnTable table(std::move(names));
  const std::vector<const TrafficResult*> groups = groups_of(report);
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxRows); ++i) {
    std::vector<std::string> row;
    for (const VariantResult* variant : variants)
      row.push_back(summary_cell(report, *variant, groups[i]->name, precision));
    table.row(row_label(*groups[i]), std::move(row));
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
  std::vector<const VariantResult*> variants = variants_in_order(report);
  const auto fits = [&](Precision precision) {
    return fits_screen(table_of(report, variants, precision, Style::Plain));
  };
  const auto* fitting = std::ranges::find_if(kPrecisions, fits);
  const Precision precision = fitting == kPrecisions.end() ? kPrecisions.back() : *fitting;
  while (variants.size() > 1 && !fits(precision))
    variants.pop_back();
  std::string text = table_of(report, variants, precision, style);
  const auto left_out = [&](std::size_t all, std::size_t shown, std::string_view name) {
    if (all <= shown) return;
    text += fmt::format("  … and {} more {}{}\n", all - shown, name, all - shown == 1 ? "" : "s");
  };
  left_out(groups_of(report).size(), kMaxRows, "traffic group");
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

std::string left_out_lines(const RunReport& report) {
  const std::string text = left_out_text(report);
  return text.empty() ? "" : wrapped("  ", text, kSummaryWidth);
}

std::string certainty_lines(const RunReport& report) {
  const std::string text = certainty_text(report);
  return text.empty() ? "" : wrapped("  ", text, kSummaryWidth);
}

/// The nodes' machine, and which of its figures are assumed.
std::string machine_line(const RunReport& report) {
  if (!report.machine) return "";
  return wrapped("  ", fmt::format("Machine {}.", machine_text(*report.machine)), kSummaryWidth);
}

}  // namespace

std::vector<std::string> verdict_texts(const RunReport& report) {
  std::vector<std::string> texts = verdicts(report, SIZE_MAX);
  if (report.executor == model::Executor::Kernel) return texts;
  if (std::string order = order_text(report); !order.empty()) texts.push_back(std::move(order));
  return texts;
}

std::string shoot_text(const RunReport& report) {
  if (report.shoot.empty()) return "";
  return fmt::format(
      "shoot {}{}", report.shoot,
      report.present_variant.empty() ? "" : fmt::format(" (now {})", report.present_variant));
}

std::vector<std::string> loss_texts(const RunReport& report) {
  std::vector<std::string> texts = drop_texts(report);
  add_interruptions(report, texts);
  return texts;
}

std::string left_out_text(const RunReport& report) {
  constexpr std::string_view kBegin = "not modelled: ";
  std::vector<std::string> regimes;
  for (const Finding& finding : report.findings) {
    const std::size_t begin = finding.message.find(kBegin);
    if (finding.rule != model::kUnsupportedRegime || begin == std::string::npos) continue;
    const std::size_t first = begin + kBegin.size();
    std::string regime = finding.message.substr(first, finding.message.find("): ", first) - first);
    regime += ')';
    if (std::ranges::find(regimes, regime) == regimes.end()) regimes.push_back(std::move(regime));
  }
  if (regimes.empty()) return "";
  return fmt::format("Not modelled, although the input has it: {}. The figures leave it out.",
                     fmt::join(regimes, "; "));
}

std::string certainty_text(const RunReport& report) {
  if (report.executor == model::Executor::Kernel || cpu_time_is_free(report)) return "";
  if (!report.cost_hosts.empty())
    return fmt::format(
        "Ranges are over the hosts behind {} ({}); the rest is assumed. Trust a row's order.",
        report.cost_profile, fmt::join(report.cost_hosts, ", "));
  return fmt::format(
      "Values are assumed, {}: trust the order within a row.",
      report.cost_profile == kMeanProfile ? "costs are a mean of hosts" : "hosts differ in cost");
}

std::string run_summary(const RunReport& report, Style style) {
  std::string losses;
  for (const std::string& text : loss_texts(report))
    losses += wrapped("  ", text, kSummaryWidth);
  const std::string shoot = shoot_text(report);
  std::string heading =
      wrapped("", report.scenario + (shoot.empty() ? "" : ", " + shoot), kSummaryWidth);
  heading.pop_back();
  return heading_text(heading, style) + '\n' + machine_line(report) + left_out_lines(report) +
         verdict_lines(report) + losses + '\n' + summary_table(report, style) + '\n' +
         facts_line(report) + certainty_lines(report);
}

}  // namespace overlane::report
