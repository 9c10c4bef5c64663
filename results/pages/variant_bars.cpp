#include "results/pages/variant_bars.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/model/run_report.h"
#include "results/report/formats/svg.h"
#include "results/report/text.h"

namespace overlane::pages {
namespace {

using model::RunReport;
using model::TrafficResult;
using model::Variant;

/// A figure of a traffic group that is drawn as bars.
struct Figure {
  const char* metric;  ///< RepeatedFigure::metric and Prediction::metric.
  const char* name;
  std::int64_t (*value)(const TrafficResult&);
  std::string (*text)(std::int64_t);
};

constexpr Figure kFigures[] = {
    {"goodput_bps", "goodput", [](const TrafficResult& t) { return t.goodput_bps; },
     report::rate_text},
    {model::kConnections.data(), "new connections per second",
     [](const TrafficResult& t) { return t.connections_per_second.value_or(0); },
     report::count_text},
    {"latency_ns.p50", "latency, median",
     [](const TrafficResult& t) { return t.latency_ns.quantile(1, 2); }, report::duration_text},
    {"latency_ns.p99", "latency, 99th percentile",
     [](const TrafficResult& t) { return t.latency_ns.quantile(99, 100); }, report::duration_text},
};

std::vector<std::string> groups_of(const RunReport& report) {
  std::vector<std::string> names;
  for (const Variant& variant : report.variants)
    for (const TrafficResult& traffic : variant.traffic)
      if (std::ranges::find(names, traffic.name) == names.end()) names.push_back(traffic.name);
  return names;
}

std::optional<model::MeanInterval> interval_of(const TrafficResult& traffic, const char* metric) {
  const auto found = std::ranges::find(traffic.repeated, metric, &model::RepeatedFigure::metric);
  return found == traffic.repeated.end() ? std::nullopt : model::mean_interval(found->values);
}

const model::Prediction* prediction_of(const RunReport& report, const Variant& variant,
                                       const std::string& group, const char* metric) {
  const auto found = std::ranges::find_if(report.predictions, [&](const auto& one) {
    return one.variant == variant.name && one.traffic == group && one.metric == metric;
  });
  return found == report.predictions.end() ? nullptr : &*found;
}

VariantBars bars_of(const RunReport& report, const std::string& group, const Figure& figure) {
  VariantBars all{
      .traffic = group, .figure = figure.name, .metric = figure.metric, .longest = 0, .bars = {}};
  for (const Variant& variant : report.variants) {
    const auto traffic = std::ranges::find(variant.traffic, group, &TrafficResult::name);
    if (traffic == variant.traffic.end()) continue;
    const std::int64_t value = figure.value(*traffic);
    VariantBar bar{.variant = variant.name,
                   .value = static_cast<double>(value),
                   .interval = interval_of(*traffic, figure.metric),
                   .predicted = {},
                   .text = figure.text(value),
                   .predicted_text = {}};
    if (const auto* predicted = prediction_of(report, variant, group, figure.metric)) {
      bar.predicted = static_cast<double>(predicted->predicted);
      bar.predicted_text = figure.text(predicted->predicted);
    }
    all.longest = std::max({all.longest, bar.value, bar.predicted.value_or(0),
                            bar.interval ? bar.interval->mean + bar.interval->half_width : 0});
    all.bars.push_back(std::move(bar));
  }
  return all;
}

constexpr std::string_view kStyle =
    "<style>text{font:13px sans-serif;fill:#222}.head{font-weight:bold}.soft{fill:#666}"
    "rect.bar{fill:#7aa6d8}path{stroke:#222;fill:none}path.predicted{stroke:#c0392b;"
    "stroke-width:3}</style>\n";

constexpr int kPlot = 420;
constexpr int kRow = 24;

}  // namespace

std::vector<VariantBars> variant_bars(const RunReport& report) {
  std::vector<VariantBars> all;
  for (const std::string& group : groups_of(report)) {
    for (const Figure& figure : kFigures) {
      VariantBars bars = bars_of(report, group, figure);
      if (bars.longest > 0) all.push_back(std::move(bars));
    }
  }
  return all;
}

std::string variant_bars_svg(const RunReport& report) {
  const std::vector<VariantBars> all = variant_bars(report);
  int left = 0, right = 0;
  bool any_predicted = false, any_interval = false;
  const auto value_text = [](const VariantBar& bar) {
    return bar.predicted ? fmt::format("{} (predicted {})", bar.text, bar.predicted_text)
                         : bar.text;
  };
  for (const VariantBars& bars : all) {
    for (const VariantBar& bar : bars.bars) {
      left = std::max(left, report::text_width(bar.variant, 13) + 24);
      right = std::max(right, report::text_width(value_text(bar), 13) + 24);
      any_predicted |= bar.predicted.has_value();
      any_interval |= bar.interval.has_value();
    }
  }
  std::string body;
  int y = 28;
  const auto text = [&](int x, std::string_view css, std::string_view what) {
    body += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, css,
                        report::xml_text(what));
  };
  text(12, "head", report.scenario);
  std::string legend;
  if (any_interval) legend += "line: 95 % interval of the mean";
  if (any_predicted) legend += std::string(legend.empty() ? "" : "; ") + "red mark: predicted";
  if (!legend.empty()) {
    y += 20;
    text(12, "soft", legend);
  }
  for (const VariantBars& bars : all) {
    y += 32;
    text(12, "head", fmt::format("{}: {}", bars.traffic, bars.figure));
    const auto at = [&](double value) {
      return left + std::clamp(value / bars.longest, 0.0, 1.0) * kPlot;
    };
    for (const VariantBar& bar : bars.bars) {
      y += kRow;
      text(12, "", bar.variant);
      body +=
          fmt::format("<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"16\"/>\n",
                      left, y - 13, at(bar.value) - left);
      if (bar.interval)
        body += fmt::format("<path d=\"M{0:.1f} {2}H{1:.1f}M{0:.1f} {3}V{4}M{1:.1f} {3}V{4}\"/>\n",
                            at(bar.interval->mean - bar.interval->half_width),
                            at(bar.interval->mean + bar.interval->half_width), y - 5, y - 9, y - 1);
      if (bar.predicted)
        body += fmt::format("<path class=\"predicted\" d=\"M{:.1f} {}V{}\"/>\n", at(*bar.predicted),
                            y - 15, y + 5);
      text(left + kPlot + 12, "", value_text(bar));
    }
  }
  return report::svg_document(std::max(left + kPlot + right, report::text_width(legend, 13) + 24),
                              y + 24, report.scenario, kStyle, body);
}

}  // namespace overlane::pages
