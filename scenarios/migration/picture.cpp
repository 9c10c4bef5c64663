#include "scenarios/migration/picture.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/report/formats/svg.h"
#include "results/report/formats/xml.h"
#include "scenarios/migration/observe/interrupted_share.h"

namespace overlane::migration {
namespace {

using report::xml_text;

constexpr std::uint32_t kColumns = 120;
constexpr int kColumnWidth = 6;
constexpr int kRow = 16;
constexpr int kPlot = static_cast<int>(kColumns) * kColumnWidth;
constexpr std::uint32_t kMostNodeRows = 60;

constexpr const char* kStyle = R"svg(<style>
text { font-family: sans-serif; font-size: 12px; fill: #222; }
.heading { font-size: 17px; font-weight: bold; }
.label { text-anchor: end; }
.tick { text-anchor: middle; fill: #555; }
.free { fill: #eef3f6; }
.cut { fill: #d55e00; }
.grid { stroke: #999; stroke-width: 0.5; }
.step { fill: #0072b2; fill-opacity: 0.75; }
</style>
)svg";

/// Components by their first steps.
std::vector<std::pair<std::string, std::vector<const Step*>>> by_component(
    const std::vector<Step>& steps) {
  std::vector<std::pair<std::string, std::vector<const Step*>>> result;
  for (const Step& step : steps) {
    auto at = std::ranges::find(result, step.component,
                                &std::pair<std::string, std::vector<const Step*>>::first);
    if (at == result.end()) at = result.insert(at, {step.component, {}});
    at->second.push_back(&step);
  }
  return result;
}

struct Row {
  std::string label;
  InterruptedShare share;
};

class Page {
 public:
  Page(const Loaded& loaded, const StrategyResult& result) : loaded_(loaded), result_(result) {}

  std::string draw() {
    const Course& course = result_.course;
    const std::string title =
        fmt::format("{}/{}: strategy {}", loaded_.transition.before.namespace_,
                    loaded_.transition.before.name, result_.strategy->name);
    put("<text class=\"heading\" x=\"8\" y=\"24\">{}</text>\n", xml_text(title));
    const TimeColumns columns =
        columns_between({}, std::max(course.ended_at, seconds(1)), kColumns);
    end_ = columns.end();
    const std::vector<Row> rows = rows_of(course, columns);
    const auto steps = by_component(course.steps);
    left_ = 120;
    for (const Row& row : rows)
      left_ = std::max(left_, report::text_width(row.label, 12) + 20);
    for (const auto& [component, ignored] : steps)
      left_ = std::max(left_, report::text_width(component, 12) + 20);
    y_ = 44;
    legend();
    for (const Row& row : rows)
      heat(row, columns);
    y_ += 10;
    for (const auto& [component, of_component] : steps)
      timeline(component, of_component);
    axis();
    return report::svg_document(left_ + kPlot + 40, y_ + 34, title, kStyle, body_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
  }

  std::vector<Row> rows_of(const Course& course, const TimeColumns& columns) const {
    std::vector<Row> rows;
    const std::uint32_t nodes = loaded_.transition.nodes();
    if (nodes <= kMostNodeRows) {
      const auto shares = share_by_node(course.outages, nodes, columns);
      for (std::uint32_t node = 0; node < nodes; ++node)
        rows.push_back({loaded_.transition.from.nodes[node].member().name, shares[node]});
      return rows;
    }
    for (const auto& [which, share] :
         share_by_class(course.outages, loaded_.zones, columns, course.presence))
      rows.push_back({std::string(to_string(which)), share});
    return rows;
  }

  void legend() {
    put("<text x=\"{}\" y=\"{}\">share of pairs with other nodes that is interrupted:</text>\n",
        left_, y_);
    int x = left_ + 330;
    for (const int percent : {0, 25, 50, 75, 100}) {
      put("<rect class=\"free\" x=\"{0}\" y=\"{1}\" width=\"22\" height=\"12\"/><rect "
          "class=\"cut\" "
          "x=\"{0}\" y=\"{1}\" width=\"22\" height=\"12\" fill-opacity=\"{2:.2f}\"/><text "
          "x=\"{3}\" "
          "y=\"{4}\">{5} %</text>\n",
          x, y_ - 10, percent / 100.0, x + 26, y_, percent);
      x += 76;
    }
    y_ += 14;
  }

  void label(const std::string& text) {
    put("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>\n", left_ - 8, y_ + 12, xml_text(text));
  }

  void heat(const Row& row, const TimeColumns& columns) {
    label(row.label);
    put("<rect class=\"free\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left_, y_ + 1,
        kPlot, kRow - 2);
    for (std::uint32_t i = 0; i < columns.count;) {
      std::uint32_t end = i + 1;
      while (end < columns.count && row.share[end] == row.share[i])
        ++end;
      if (row.share[i] > 0)
        put("<rect class=\"cut\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
            "fill-opacity=\"{:.2f}\"><title>{}: {:.0f} % from {:.1f} s on</title></rect>\n",
            left_ + static_cast<int>(i) * kColumnWidth, y_ + 1,
            static_cast<int>(end - i) * kColumnWidth, kRow - 2, std::max(0.15, row.share[i] / 1e6),
            xml_text(row.label), row.share[i] / 1e4,
            seconds_of(columns.begin + columns.column * i));
      i = end;
    }
    y_ += kRow;
  }

  static double seconds_of(Picos time) { return static_cast<double>(time.count) / 1e12; }
  double x_of(Picos time) const { return left_ + kPlot * seconds_of(time) / seconds_of(end_); }

  void timeline(const std::string& component, const std::vector<const Step*>& steps) {
    label(component);
    put("<line class=\"grid\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", left_, y_ + kRow / 2,
        left_ + kPlot, y_ + kRow / 2);
    for (const Step* step : steps)
      put("<circle class=\"step\" cx=\"{:.1f}\" cy=\"{}\" r=\"4\"><title>{:.1f} s: "
          "{}</title></circle>\n",
          x_of(step->at), y_ + kRow / 2, seconds_of(step->at), xml_text(step->what));
    y_ += kRow;
  }

  void axis() {
    y_ += 4;
    put("<line class=\"grid\" x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\"/>\n", left_, y_,
        left_ + kPlot);
    double step = 1;
    for (const double wider : {2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0,
                               3600.0, 7200.0, 14'400.0, 86'400.0})
      if (seconds_of(end_) / step > 12) step = wider;
    for (double at = 0; at <= seconds_of(end_); at += step)
      put("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\">{:g}</text>\n",
          left_ + kPlot * at / seconds_of(end_), y_ + 14, at);
    put("<text x=\"{}\" y=\"{}\">seconds after the change of the Shoot</text>\n", left_, y_ + 30);
  }

  const Loaded& loaded_;
  const StrategyResult& result_;
  Picos end_;  ///< Of the time axis.
  int left_ = 0;
  int y_ = 0;
  std::string body_;
};

}  // namespace

std::string draw_course(const Loaded& loaded, const StrategyResult& result) {
  return Page(loaded, result).draw();
}

}  // namespace overlane::migration
