#include "results/pages/run_page.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report.h"
#include "results/pages/page.h"
#include "results/pages/variant_colours.h"
#include "results/report/formats/svg.h"
#include "results/report/run_document.h"
#include "results/report/run_effects.h"
#include "results/report/text.h"

namespace overlane::pages {
namespace {

using model::RunReport;
using model::TrafficResult;
using model::VariantResult;

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
    {"latency_ns.p50", "latency, median (less is better)",
     [](const TrafficResult& t) { return t.latency_ns.quantile(1, 2); }, report::duration_text},
    {"latency_ns.p99", "latency, 99th percentile (less is better)",
     [](const TrafficResult& t) { return t.latency_ns.quantile(99, 100); }, report::duration_text},
};

std::vector<std::string> groups_of(const RunReport& report) {
  std::vector<std::string> names;
  for (const VariantResult& variant : report.variants)
    for (const TrafficResult& traffic : variant.traffic)
      if (std::ranges::find(names, traffic.name) == names.end()) names.push_back(traffic.name);
  return names;
}

std::vector<std::string> names_of(const RunReport& report) {
  std::vector<std::string> names;
  for (const VariantResult& variant : report.variants)
    names.push_back(variant.name);
  return names;
}

std::optional<model::MeanInterval> interval_of(const TrafficResult& traffic, const char* metric) {
  const auto found = std::ranges::find(traffic.repeated, metric, &model::RepeatedFigure::metric);
  return found == traffic.repeated.end() ? std::nullopt : model::mean_interval(found->values);
}

const model::Prediction* prediction_of(const RunReport& report, const VariantResult& variant,
                                       const std::string& group, const char* metric) {
  const auto found = std::ranges::find_if(report.predictions, [&](const auto& one) {
    return one.variant == variant.name && one.traffic == group && one.metric == metric;
  });
  return found == report.predictions.end() ? nullptr : &*found;
}

VariantBars bars_of(const RunReport& report, const std::string& group, const Figure& figure) {
  VariantBars all{
      .traffic = group, .figure = figure.name, .metric = figure.metric, .longest = 0, .bars = {}};
  for (const VariantResult& variant : report.variants) {
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

/// The style of the separate SVG file, in the light or the dark theme of whatever shows it.
std::string bars_style() {
  std::string light, dark;
  for (std::size_t i = 0; i < kVariantColours.size(); ++i) {
    light += fmt::format(".v{}{{fill:{}}}", i, kVariantColours[i].light);
    dark += fmt::format(".v{}{{fill:{}}}", i, kVariantColours[i].dark);
  }
  return "<style>text{font:13px sans-serif;fill:#222}.head{font-weight:bold}.soft{fill:#57606a}"
         "path{stroke:#222;fill:none}path.predicted{stroke-width:3;stroke-dasharray:2 2}" +
         light +
         "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#a3acb6}"
         "path{stroke:#e6edf3}.paper{fill:#0d1117}" +
         dark + "}</style>\n";
}

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
  const VariantNumbers numbers(names_of(report));
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
  if (any_predicted) legend += std::string(legend.empty() ? "" : "; ") + "dotted mark: predicted";
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
          fmt::format("<rect class=\"v{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"16\"/>\n",
                      numbers.of(bar.variant), left, y - 13, at(bar.value) - left);
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
                              y + 24, report.scenario, bars_style(), body);
}

namespace {

using Json = nlohmann::ordered_json;
using model::RunReport;
using model::TrafficResult;
using model::VariantResult;

const TrafficResult* traffic_of(const VariantResult& variant, const std::string& name) {
  const auto found = std::ranges::find(variant.traffic, name, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

class RunPage {
 public:
  RunPage(const RunReport& report, const TopologyPicture& topology)
      : report_(report), topology_(topology), numbers_(names_of(report)) {
    data_["latency"] = data_["series"] = Json::array();
  }

  /// Pictures follow the document's first section; other long parts are folded below them.
  std::string write() {
    const answer::Document document = report::run_document(report_);
    std::string body = section_html(document.sections.front()) + bars() + latencies() + series();
    for (answer::Section section : std::span(document.sections).subspan(1)) {
      if (section.heading != answer::kRemarksHeading) section.detail = answer::Detail::OnRequest;
      body += section_html(section);
    }
    body +=
        picture() + environment_section(report_.environment,
                                        is_simulated() ? HostRole::Simulated : HostRole::Measured);
    const std::string title = document.title + (report_.shoot.empty() ? "" : ": " + report_.shoot) +
                              ", " + document.overview.origin;
    return html_page(title, page_header(document.title, document.overview, ""), body, data_);
  }

 private:
  bool is_simulated() const { return report_.executor == model::Executor::Sim; }

  /// The figures as bars, a list for each figure of a traffic group. All bars begin at one column.
  std::string bars() const {
    std::string html = "<section>\n<h2>Variants side by side</h2>\n";
    html += legend(numbered_names(names_of(report_)));
    if (!report_.comparison.empty())
      html += fmt::format("<p class=\"soft\">Changes are against {}.</p>\n",
                          html_text(report_.comparison.front().baseline));
    if (!report_.predictions.empty())
      html += "<p class=\"soft\">A dotted mark is the predicted value.</p>\n";
    const std::string* group = nullptr;
    const std::vector<VariantBars> all = variant_bars(report_);
    if (std::ranges::any_of(all, [](const VariantBars& bars) {
          return std::ranges::any_of(
              bars.bars, [](const VariantBar& one) { return one.interval.has_value(); });
        }))
      html +=
          "<p class=\"soft\">A line at the end of a bar is the 95 % interval of the mean.</p>\n";
    for (const VariantBars& bars : all) {
      if (group == nullptr || *group != bars.traffic)
        html += fmt::format("<h3>{}</h3>\n", html_text(bars.traffic));
      group = &bars.traffic;
      html += fmt::format("<div class=\"figures\"><p class=\"soft\">{}</p>\n<ul class=\"bars\">\n",
                          bars.figure);
      for (const VariantBar& one : bars.bars)
        html += fmt::format(
            "<li><span class=\"name\">{}</span> {} <span class=\"value\">{}</span> <span "
            "class=\"change soft\">{}</span></li>\n",
            html_text(one.variant), bar(one, bars.longest), one.text,
            one.predicted ? "predicted " + one.predicted_text : change(bars, one));
      html += "</ul></div>\n";
    }
    return html + "</section>\n";
  }

  /// The change against the baseline, with its range.
  std::string change(const VariantBars& bars, const VariantBar& bar) const {
    for (const model::Comparison& row : report_.comparison) {
      if (row.traffic != bars.traffic || row.metric != bars.metric || row.variant != bar.variant)
        continue;
      return report::change_text(row);
    }
    return "";
  }

  /// A bar, with the interval as a line at its end, and a mark across it for the predicted value.
  std::string bar(const VariantBar& bar, double longest) const {
    const auto percent = [&](double value) {
      return std::clamp(100 * value / longest, 0.0, 100.0);
    };
    std::string svg = fmt::format(
        "<svg class=\"bar v{}\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect width=\"{:.2f}\" height=\"10\"/>",
        numbers_.of(bar.variant), percent(bar.value));
    if (bar.interval)
      svg += fmt::format("<path d=\"M{0:.2f} 5H{1:.2f}M{0:.2f} 2V8M{1:.2f} 2V8\"/>",
                         percent(bar.interval->mean - bar.interval->half_width),
                         percent(bar.interval->mean + bar.interval->half_width));
    if (bar.predicted)
      svg += fmt::format("<path class=\"predicted\" d=\"M{:.2f} 0V10\"/>", percent(*bar.predicted));
    return svg + "</svg>";
  }

  std::vector<std::pair<std::string, std::size_t>> numbered_names(
      const std::vector<std::string>& names) const {
    std::vector<std::pair<std::string, std::size_t>> numbered;
    for (const std::string& name : names)
      numbered.emplace_back(name, numbers_.of(name));
    return numbered;
  }

  std::string latencies() {
    std::string html;
    for (const std::string& group : groups_of(report_)) {
      Json lines = Json::array();
      std::vector<LatencyRow> rows;
      for (const VariantResult& variant : report_.variants) {
        const TrafficResult* traffic = traffic_of(variant, group);
        if (traffic == nullptr || traffic->latency_ns.count() == 0) continue;
        const std::size_t number = numbers_.of(variant.name);
        lines.push_back(latency_line(variant.name, number, traffic->latency_ns));
        rows.push_back({variant.name, number, &traffic->latency_ns});
      }
      if (lines.empty()) continue;
      const std::string caption = "Latency of " + group;
      html += chart("latency", data_["latency"].size(), group, latency_table(caption, rows));
      data_["latency"].push_back({{"variants", std::move(lines)}});
    }
    return html.empty() ? ""
                        : fmt::format(
                              "<section>\n<h2>Latency</h2>\n<p class=\"soft\">{}</p>\n"
                              "<div class=\"charts\">\n{}</div>\n</section>\n",
                              kLatencyNote, html);
  }

  /// The throughput of each group over time, with one line per variant. Goodput is unsuitable: when
  /// a lost segment arrives again, the application reads all later data at once, faster than any
  /// link.
  std::string series() {
    std::string html;
    for (const std::string& group : groups_of(report_)) {
      Json lines = Json::array();
      std::vector<std::string> names;
      for (const VariantResult& variant : report_.variants)
        for (const model::Series& series : variant.series)
          for (const model::TrafficSeries& traffic : series.traffic)
            if (traffic.name == group) {
              lines.push_back({{"name", variant.name},
                               {"slot", numbers_.of(variant.name)},
                               {"end_ns", series.end_ns},
                               {"bps", traffic.throughput_bps}});
              if (names.empty() || names.back() != variant.name) names.push_back(variant.name);
            }
      if (lines.empty()) continue;
      Json events = Json::array();
      for (const model::Event& event : report_.events)
        events.push_back({{"at_ns", event.at_ns},
                          {"until_ns", event.until_ns ? Json(*event.until_ns) : Json(nullptr)}});
      html += chart("series", data_["series"].size(), group, legend(numbered_names(names)));
      data_["series"].push_back({{"lines", std::move(lines)}, {"events", std::move(events)}});
    }
    if (html.empty()) return "";
    return "<section>\n<h2>Throughput over time</h2>\n" + html + "</section>\n";
  }

  /// Draws zones as boxes with their nodes; a large zone shows only its first nodes.
  std::string picture() const {
    constexpr std::size_t kMaxNodes = 12;
    std::string html =
        fmt::format("<section>\n<h2>Topology</h2>\n<p>{}</p>\n<div class=\"zones\">\n",
                    html_text(topology_.network));
    for (const TopologyPicture::Zone& zone : topology_.zones) {
      html += fmt::format("<div class=\"zone\"><b>{}</b> <span class=\"soft\">{}, {}</span>\n",
                          html_text(zone.name), html_text(zone.subnet),
                          report::counted_text(zone.nodes.size(), "node"));
      for (std::size_t i = 0; i < std::min(zone.nodes.size(), kMaxNodes); ++i) {
        const TopologyPicture::Node& node = zone.nodes[i];
        html +=
            fmt::format("<div class=\"node\">{} <span class=\"soft\">{}</span><br>pods {}</div>\n",
                        html_text(node.name), html_text(node.address), html_text(node.pod_cidr));
      }
      if (zone.nodes.size() > kMaxNodes)
        html +=
            fmt::format("<div class=\"soft\">and {} more</div>\n", zone.nodes.size() - kMaxNodes);
      html += "</div>\n";
    }
    return html + "</div>\n</section>\n";
  }

  const RunReport& report_;
  const TopologyPicture& topology_;
  VariantNumbers numbers_;
  Json data_ = Json::object();
};

}  // namespace

std::string run_page(const RunReport& report, const TopologyPicture& topology) {
  return RunPage(report, topology).write();
}

}  // namespace overlane::pages
