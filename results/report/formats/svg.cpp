#include "results/report/formats/svg.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::report {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:  // U+FFFE and U+FFFF, which XML cannot hold, become U+FFFD.
        out += out.ends_with("\xef\xbf") && (c == '\xbe' || c == '\xbf') ? '\xbd' : c;
    }
  }
  return out;
}

int text_width(std::string_view text, int font_size) {
  const auto starts_character = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u;
  };
  return static_cast<int>(std::ranges::count_if(text, starts_character)) * font_size * 58 / 100;
}

std::string svg_document(int width, int height, std::string_view title, std::string_view head,
                         std::string_view body) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{4}</svg>\n",
      width, height, xml_text(title), head, body);
}

namespace {

constexpr int kPlot = 720;  // Width of rows and lanes.
constexpr int kRow = 16;
constexpr int kMargin = 8;
constexpr int kMinLabels = 120;
constexpr int kEventRadius = 4;

// A page has one style sheet, so all rules here apply only below .timeline. The colours of pages
// are in page.css, since not every program that shows SVG supports var(). A separate picture
// follows the theme of its viewer.
constexpr const char* kStyle = R"svg(<style>
.timeline text { font-family: sans-serif; font-size: 12px; fill: #222; }
.timeline .heading { font-size: 17px; font-weight: bold; }
.timeline .label { text-anchor: end; }
.timeline .tick { text-anchor: middle; fill: #555; }
.timeline .free { fill: #eef3f6; }
.timeline .cut { fill: #d55e00; }
.timeline .grid { stroke: #999; stroke-width: 0.5; }
.timeline .step { fill: #0072b2; fill-opacity: 0.75; }
@media screen and (prefers-color-scheme: dark) {
.paper { fill: #0d1117; }
.timeline text { fill: #e6edf3; }
.timeline .tick { fill: #a3acb6; }
.timeline .free { fill: #21262d; }
.timeline .cut { fill: #e8761f; }
.timeline .step { fill: #56b4e9; }
}
</style>
)svg";

/// A unit of the time axis.
struct AxisUnit {
  std::string_view name;
  double seconds;
  double longest;  ///< Axes up to this many seconds are in this unit.
};
constexpr std::array kAxisUnits = {AxisUnit{"seconds", 1, 900}, AxisUnit{"minutes", 60, 3 * 3600},
                                   AxisUnit{"hours", 3600, 0}};

const AxisUnit& unit_of(const answer::Chart& chart) {
  const auto found = std::ranges::find_if(
      kAxisUnits, [&](const AxisUnit& unit) { return chart.end <= unit.longest; });
  return found == kAxisUnits.end() ? kAxisUnits.back() : *found;
}

class ChartPicture {
 public:
  explicit ChartPicture(const answer::Chart& chart) : chart_(chart), unit_(unit_of(chart)) {}

  std::string draw() {
    put("<text class=\"heading\" x=\"{}\" y=\"24\">{}</text>\n", kMargin, xml_text(chart_.title));
    for (const answer::Chart::Row& row : chart_.rows)
      left_ = std::max(left_, text_width(row.label, 12) + 20);
    for (const answer::Chart::Lane& lane : chart_.lanes)
      left_ = std::max(left_, text_width(lane.label, 12) + 20);
    y_ = 44;
    if (!chart_.rows.empty()) legend();
    for (const answer::Chart::Row& row : chart_.rows)
      draw(row);
    y_ += 10;
    for (const answer::Chart::Lane& lane : chart_.lanes)
      draw(lane);
    axis();
    return svg_document(left_ + kPlot + 40, y_ + 34, chart_.title, kStyle,
                        fmt::format("<g class=\"timeline\" data-left=\"{}\" data-width=\"{}\" "
                                    "data-begin=\"{:g}\" data-end=\"{:g}\">\n{}</g>\n",
                                    left_, kPlot, chart_.begin, chart_.end, body_));
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
  }

  void legend() {
    const std::string text = "share of " + chart_.shade + ":";
    put("<text x=\"{}\" y=\"{}\">{}</text>\n", left_, y_, xml_text(text));
    int x = left_ + std::max(330, text_width(text, 12));
    for (const int percent : {0, 25, 50, 75, 100}) {
      put("<rect class=\"free\" x=\"{0}\" y=\"{1}\" width=\"22\" height=\"12\"/><rect "
          "class=\"cut\" x=\"{0}\" y=\"{1}\" width=\"22\" height=\"12\" "
          "fill-opacity=\"{2:.2f}\"/><text x=\"{3}\" y=\"{4}\">{5} %</text>\n",
          x, y_ - 10, percent / 100.0, x + 26, y_, percent);
      x += 70;
    }
    y_ += 14;
  }

  void label(const std::string& text) {
    put("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n", left_ - 8, y_ + 12, xml_text(text));
  }

  void draw(const answer::Chart::Row& row) {
    label(row.label);
    put("<rect class=\"free\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left_, y_ + 1,
        kPlot, kRow - 2);
    const double width = static_cast<double>(kPlot) / static_cast<double>(row.ppm.size());
    const double column = (chart_.end - chart_.begin) / static_cast<double>(row.ppm.size());
    for (std::size_t i = 0; i < row.ppm.size();) {
      std::size_t end = i + 1;
      while (end < row.ppm.size() && row.ppm[end] == row.ppm[i])
        ++end;
      if (row.ppm[i] > 0)
        put("<rect class=\"cut\" x=\"{:.6g}\" y=\"{}\" width=\"{:.6g}\" height=\"{}\" "
            "fill-opacity=\"{:.2f}\"><title>{}: {:.0f} % from {} on</title></rect>\n",
            left_ + static_cast<double>(i) * width, y_ + 1, static_cast<double>(end - i) * width,
            kRow - 2, std::max(0.15, row.ppm[i] / 1e6), xml_text(row.label), row.ppm[i] / 1e4,
            elapsed_text(chart_.begin + column * static_cast<double>(i)));
      i = end;
    }
    y_ += kRow;
  }

  double x_of(double time) const {
    return left_ + kPlot * (time - chart_.begin) / (chart_.end - chart_.begin);
  }

  void draw(const answer::Chart::Lane& lane) {
    label(lane.label);
    put("<line class=\"grid\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", left_, y_ + kRow / 2,
        left_ + kPlot, y_ + kRow / 2);
    for (std::size_t i = 0; i < lane.events.size();)
      i = draw_events(lane, i);
    y_ += kRow;
  }

  /// Draws one mark for all events at the place of the first one. Returns the index of the next.
  std::size_t draw_events(const answer::Chart::Lane& lane, std::size_t first) {
    constexpr double kMinDistance = 2 * kEventRadius;  // Marks do not cover each other.
    constexpr std::size_t kMaxNamed = 3;
    const double x = x_of(lane.events[first].at);
    std::size_t end = first;
    std::string text;
    for (; end < lane.events.size() && x_of(lane.events[end].at) < x + kMinDistance; ++end)
      if (end - first < kMaxNamed)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", elapsed_text(lane.events[end].at),
                            xml_text(lane.events[end].what));
    if (end - first > kMaxNamed) text += fmt::format("; and {} more", end - first - kMaxNamed);
    put("<circle class=\"step\" data-at=\"{:.0f}\" cx=\"{:.1f}\" cy=\"{}\" "
        "r=\"{}\"><title>{}</title></circle>\n",
        lane.events[first].at * 1000, x, y_ + kRow / 2, kEventRadius, text);
    return end;
  }

  /// At most 12 ticks, at round numbers of the unit.
  void axis() {
    y_ += 4;
    put("<line class=\"grid\" x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\"/>\n", left_, y_,
        left_ + kPlot);
    const double begin = chart_.begin / unit_.seconds, end = chart_.end / unit_.seconds;
    double step = 1;
    for (const double wider : {2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0})
      if ((end - begin) / step > 12) step = wider;
    for (double at = std::ceil(begin / step) * step; at <= end; at += step)
      put("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\">{:g}</text>\n", x_of(at * unit_.seconds),
          y_ + 14, at);
    put("<text x=\"{}\" y=\"{}\">{} {}</text>\n", left_, y_ + 30, unit_.name,
        xml_text(chart_.axis));
  }

  const answer::Chart& chart_;  // Outlives the picture: both are of one call of chart_svg().
  const AxisUnit& unit_;
  int left_ = kMinLabels;
  int y_ = 0;
  std::string body_;
};

}  // namespace

std::string chart_svg(const answer::Chart& chart) {
  assert(chart.end > chart.begin);
  return ChartPicture(chart).draw();
}

}  // namespace overlane::report
