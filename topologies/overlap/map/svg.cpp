#include "topologies/overlap/map/svg.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/base/text.h"
#include "results/report/formats/svg.h"

namespace overlane::overlap {

namespace {

/// Positions and sizes in one family's part of a picture, in pixels. `map` must outlive the frame.
struct MapFrame {
  /// Lays out a frame with its upper edge at `y`; bars begin at `its_left`.
  MapFrame(const AddressMap& its_map, Family its_family, int its_left, int y);

  bool is_shown(const IpPrefix& cidr) const { return cidr.network().family() == family; }
  /// The upper edge of row `row` of `shown`.
  int y_of(std::size_t row) const { return top + static_cast<int>(row) * row_height; }
  int bottom() const { return y_of(shown.size()); }

  const AddressMap& map;
  Family family;
  int left;
  MapAxis axis;
  std::vector<std::size_t> shown;  ///< Indices of AddressMap::rows that have ranges of the family.
  int top = 0;                     ///< Upper edge of the rows.
  int row_height = 0;
};

/// The rows of a picture: their owners, bars and pod CIDRs.
struct MapRows {
  std::string svg;
  std::string over;  ///< Texts and ticks, which are drawn over the bands.
};

/// The bands' numbers below the rows, on at most kMaxTagLines lines.
struct MapTags {
  std::string svg;
  int height = 0;
};
MapTags draw_tags(const MapFrame& frame);

constexpr int kWidth = 980;  // Width of the axis, before small ranges widen it.

/// Height of a row: more rows are smaller.
int height_of_rows(std::size_t rows) {
  return rows <= 40 ? 24 : rows <= 120 ? 17 : 13;
}

MapAxis axis_of(const AddressMap& map, Family family) {
  std::vector<IpPrefix> ranges;
  for (const AddressMap::Row& row : map.rows)
    for (const Range& range : row.ranges)
      if (range.cidr.network().family() == family) ranges.push_back(range.cidr);
  return MapAxis(std::move(ranges), kWidth);
}

MapFrame::MapFrame(const AddressMap& its_map, Family its_family, int its_left, int y)
    : map(its_map), family(its_family), left(its_left), axis(axis_of(its_map, its_family)) {
  int longest = 0;
  for (const MapAxis::Stretch& stretch : axis.stretches())
    longest = std::max(longest, report::text_width(stretch.label(), 12));
  top = y + longest * 2 / 3 + 24;  // Labels are slanted.
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    if (std::ranges::any_of(map.rows[i].ranges, [&](const Range& r) { return is_shown(r.cidr); }))
      shown.push_back(i);
  row_height = height_of_rows(shown.size());
}

using report::xml_text;

std::string_view mode_text(const Range& range) {
  switch (range.dataplane_mode) {
    case DataplaneMode::None:
      return "";
    case DataplaneMode::Overlay:
      return ", overlay";
    case DataplaneMode::OverlayAndRoutes:
      return ", overlay with routes";
    case DataplaneMode::Routed:
      return ", routed";
    case DataplaneMode::NodesAndRoutes:
      return ", routed, with direct routes between nodes";
    case DataplaneMode::ByInterface:
      return ", routed by the nodes' interfaces";
  }
  return "";
}

std::string source_text(const Range& range) {
  if (range.assumed) return fmt::format("assumed: {}", range.path.str());
  return fmt::format("{} {}", range.place.to_string(), range.path.str());
}

}  // namespace

std::string_view style_of(Role role) {
  switch (role) {
    case Role::Pods:
    case Role::SeedPods:
      return "pods";
    case Role::Nodes:
    case Role::SeedNodes:
      return "nodes";
    case Role::Services:
    case Role::SeedServices:
      return "services";
    case Role::Vpc:
      return "vpc";
    case Role::Subnet:
      return "subnet";
    case Role::Reserved:
      return "reserved";
    case Role::Declared:
      return "declared";
  }
  return "";
}

std::string tooltip(const AddressMap::Row& row, const Range& range) {
  return fmt::format("{}: {} {}{}\n{}", xml_text(row.owner), to_string(range.role),
                     range.cidr.to_string(), mode_text(range), xml_text(source_text(range)));
}

std::string tooltip(const AddressMap::Intersection& intersection) {
  std::string text = intersection.cidr.to_string();
  for (const auto& [cause, reason] : intersection.reasons) {
    const rules::Rule& its = rule(cause.rule);
    text += fmt::format("\n{}: {}\n{}\naction: {}", overlane::to_string(cause.severity),
                        xml_text(fault(its)), xml_text(reason.consequence), xml_text(its.remedy));
  }
  return text;
}

namespace {

struct Label {
  int x = 0;
  int y = 0;
  int font = 0;
  std::string text;
};

class Rows {
 public:
  explicit Rows(const MapFrame& frame) : frame_(frame) {}

  MapRows draw() {
    for (std::size_t i = 0; i < frame_.shown.size(); ++i)
      draw_row(i);
    return std::move(drawn_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(drawn_.svg), format, std::forward<Args>(args)...);
  }

  template <typename... Args>
  void put_over(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(drawn_.over), format, std::forward<Args>(args)...);
  }

  void draw_row(std::size_t i) {
    const AddressMap::Row& row = frame_.map.rows[frame_.shown[i]];
    const int font = std::min(12, frame_.row_height - 3);
    const std::string owner = xml_text(row.label());
    if (i % 2 == 0)
      put("<rect class=\"stripe\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", frame_.y_of(i),
          frame_.left + frame_.axis.width(), frame_.row_height);
    put("<text class=\"owner\" font-size=\"{}\" x=\"8\" y=\"{}\">{}</text>\n", font,
        frame_.y_of(i) + frame_.row_height / 2 + font / 3, owner);
    std::vector<const Range*> outer;
    for (const Range& range : row.ranges) {
      if (!frame_.is_shown(range.cidr)) continue;
      std::erase_if(outer, [&](const Range* one) { return !one->cidr.contains(range.cidr); });
      draw_bar(i, row, range, static_cast<int>(outer.size()));
      outer.push_back(&range);
    }
    for (const Label& label : labels_)
      put_over("<text class=\"cidr\" font-size=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", label.font,
               frame_.left + label.x, label.y, label.text);
    labels_.clear();
    draw_pod_cidrs(i, row);
  }

  /// Draws a range as a bar; `depth` is the number of bars around it, inside which it is drawn.
  void draw_bar(std::size_t i, const AddressMap::Row& row, const Range& range, int depth) {
    const MapAxis::Span span = frame_.axis.of(range.cidr);
    const int inset = std::min(1 + depth * frame_.row_height / 8, frame_.row_height / 3);
    const int height = frame_.row_height - 2 * inset;
    put("<g class=\"bar\"><title>{}</title><rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/></g>\n",
        tooltip(row, range), style_of(range.role),
        is_overlay(range.dataplane_mode) ? " overlay" : "", frame_.left + span.x,
        frame_.y_of(i) + inset, span.width, height);
    label_bar(i, range, span, height);
  }

  /// Labels a bar if its text fits, and removes labels of other bars that it covers.
  void label_bar(std::size_t i, const Range& range, MapAxis::Span span, int height) {
    std::erase_if(labels_, [&](const Label& label) {
      return label.x < span.x + span.width &&
             span.x < label.x + report::text_width(label.text, label.font);
    });
    const int font = std::min(10, height);
    std::string text = range.cidr.to_string() + (range.assumed ? " (assumed)" : "");
    if (font >= 8 && report::text_width(text, font) + 6 <= span.width)
      labels_.push_back(
          {span.x + 4, frame_.y_of(i) + frame_.row_height / 2 + font / 3, font, std::move(text)});
  }

  void draw_pod_cidrs(std::size_t i, const AddressMap::Row& row) {
    std::set<int> ticks;
    std::size_t count = 0;
    for (const IpPrefix& pod_cidr : row.pod_cidrs) {
      const auto holds = [&](const Range& range) { return range.cidr.contains(pod_cidr); };
      if (!frame_.is_shown(pod_cidr) || std::ranges::none_of(row.ranges, holds)) continue;
      ++count;
      ticks.insert(frame_.axis.of(pod_cidr).x);
    }
    if (ticks.empty()) return;
    put_over("<g class=\"pod_cidrs\"><title>{}: pod CIDRs of nodes in use: {}</title><path d=\"",
             xml_text(row.owner), count);
    for (const int x : ticks)
      put_over("M{}.5 {}v{}", frame_.left + x, frame_.y_of(i) + frame_.row_height * 2 / 3,
               frame_.row_height / 3 - 1);
    put_over("\"/></g>\n");
  }

  const MapFrame& frame_;
  std::vector<Label> labels_;  ///< Labels of the row that is being drawn.
  MapRows drawn_;
};

MapRows draw_rows(const MapFrame& frame) {
  return Rows(frame).draw();
}

constexpr int kTagHeight = 13;  // A line of bands' numbers.
constexpr int kMaxTagLines = 5;

/// Draws a band from the first to the last row that the intersection concerns, hatched on these
/// rows.
void draw_band(const MapFrame& frame, std::size_t number, std::string& svg) {
  const AddressMap::Intersection& intersection = frame.map.intersections[number];
  const MapAxis::Span span = frame.axis.of(intersection.cidr);
  std::map<std::size_t, Severity> rows;  // By row of `shown`: the highest severity.
  for (const auto& [cause, reason] : intersection.reasons)
    for (const std::size_t row : reason.rows) {
      const auto place = std::ranges::lower_bound(frame.shown, row) - frame.shown.begin();
      Severity& gravest = rows[static_cast<std::size_t>(place)];
      gravest = std::max(gravest, cause.severity);
    }
  fmt::format_to(
      std::back_inserter(svg),
      "<g class=\"intersection {}\"><title>{}</title><rect class=\"band\" x=\"{}\" y=\"{}\" "
      "width=\"{}\" height=\"{}\"/>",
      overlane::to_string(intersection.severity), tooltip(intersection), frame.left + span.x,
      frame.y_of(rows.begin()->first), span.width,
      frame.y_of(rows.rbegin()->first + 1) - frame.y_of(rows.begin()->first));
  for (const auto& [row, severity] : rows)
    fmt::format_to(std::back_inserter(svg),
                   "<rect class=\"overlap {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                   overlane::to_string(severity), frame.left + span.x, frame.y_of(row), span.width,
                   frame.row_height);
  fmt::format_to(std::back_inserter(svg), "</g>\n");
}

/// The numbers of the visible bands, from left to right.
std::vector<std::size_t> tagged(const MapFrame& frame) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < frame.map.intersections.size(); ++i)
    if (frame.is_shown(frame.map.intersections[i].cidr)) numbers.push_back(i);
  std::ranges::stable_sort(numbers, {}, [&](std::size_t i) {
    const MapAxis::Span span = frame.axis.of(frame.map.intersections[i].cidr);
    return span.x + span.width / 2;
  });
  return numbers;
}

std::string draw_bands(const MapFrame& frame) {
  std::string svg;
  for (std::size_t i = frame.map.intersections.size(); i-- > 0;)
    if (frame.is_shown(frame.map.intersections[i].cidr)) draw_band(frame, i, svg);
  return svg;
}

MapTags draw_tags(const MapFrame& frame) {
  MapTags tags;
  std::vector<int> ends;  // Right ends of the lines of numbers.
  for (const std::size_t number : tagged(frame)) {
    const MapAxis::Span span = frame.axis.of(frame.map.intersections[number].cidr);
    const std::string tag = fmt::format("{}", number + 1);
    const int middle = frame.left + span.x + span.width / 2;
    const int half = report::text_width(tag, 11) / 2 + 4;
    auto line = std::ranges::find_if(ends, [&](int end) { return end <= middle - half; });
    if (line == ends.end()) {
      if (ends.size() == kMaxTagLines) continue;
      line = ends.insert(ends.end(), 0);
    }
    *line = middle + half;
    fmt::format_to(std::back_inserter(tags.svg),
                   "<text class=\"tag {}\" x=\"{}\" y=\"{}\">{}</text>\n",
                   overlane::to_string(frame.map.intersections[number].severity), middle,
                   frame.bottom() + kTagHeight * static_cast<int>(line - ends.begin() + 1), tag);
  }
  tags.height = kTagHeight * static_cast<int>(ends.size());
  return tags;
}

void draw_axis(const MapFrame& frame, std::string& svg) {
  fmt::format_to(std::back_inserter(svg), "<text class=\"family\" x=\"8\" y=\"{}\">{}</text>\n",
                 frame.top - 8, frame.family == Family::Ipv4 ? "IPv4" : "IPv6");
  int free_from = 0;
  for (const MapAxis::Stretch& stretch : frame.axis.stretches()) {
    const int x = frame.left + stretch.span.x;
    const std::string label = stretch.label();
    fmt::format_to(std::back_inserter(svg),
                   "<g class=\"stretch\"><title>{0}</title><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" "
                   "height=\"3\"/>",
                   label, x, frame.top - 5, stretch.span.width);
    if (x >= free_from) {
      fmt::format_to(std::back_inserter(svg),
                     "<text transform=\"translate({},{}) rotate(-40)\">{}</text>", x + 5,
                     frame.top - 9, label);
      free_from = x + 18;
    }
    fmt::format_to(std::back_inserter(svg), "</g>\n");
  }
}

void draw_gaps(const MapFrame& frame, std::string& svg) {
  const auto& stretches = frame.axis.stretches();
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const int x = frame.left + stretches[i].span.x - MapAxis::kGap / 2;
    fmt::format_to(std::back_inserter(svg),
                   "<path class=\"gap\" d=\"M{0} {1}l4 -10M{2} {1}l4 -10M{3} {4}V{5}\"/>\n", x - 5,
                   frame.top + 1, x, x, frame.top + 4, frame.bottom());
  }
}

}  // namespace

MapBlock draw_block(const AddressMap& map, Family family, int left, int y) {
  const MapFrame frame(map, family, left, y);
  if (frame.shown.empty()) return {};
  std::string svg;
  draw_axis(frame, svg);
  const MapRows rows = draw_rows(frame);
  svg += rows.svg;
  draw_gaps(frame, svg);
  svg += draw_bands(frame) + rows.over;
  const MapTags tags = draw_tags(frame);
  const int slanted = (frame.top - y) * 6 / 5;
  return {svg + tags.svg, left + frame.axis.width() + slanted, frame.bottom() + tags.height - y};
}

namespace {

constexpr std::size_t kMaxExplained = 12;  // Per rule.
constexpr int kLine = 18;
constexpr int kIndented = 24;

/// The palette of Okabe and Ito, safe for colour blindness; pale enough for dark text. Shapes
/// repeat the meaning: overlay bars are dashed, bands are hatched. A page has one style sheet, so
/// all rules apply only below .map.
constexpr const char* kStyle = R"svg(<style>
.map text { font-family: sans-serif; fill: #222; }
.map .heading { font-size: 19px; font-weight: bold; }
.map .family { font-size: 15px; font-weight: bold; }
.map .plain, .map .stretch text { font-size: 12px; }
.map .tag { font-size: 11px; font-weight: bold; text-anchor: middle; }
.map .rule { font-size: 12px; font-weight: bold; }
.map .cidr { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-opacity: 0.85; }
.map .stripe { fill: #f4f4f4; }
.map .stretch rect { fill: #444; }
.map .gap { fill: none; stroke: #999; stroke-dasharray: 3 2; }
.map .bar rect, .map .swatch { stroke: #333; stroke-width: 1; }
.map .pods { fill: #8fcbf0; }
.map .nodes { fill: #5cc4a0; }
.map .services { fill: #f3e67a; }
.map .vpc { fill: #f0dbe6; }
.map .subnet { fill: #d8a3c2; }
.map .declared { fill: #d0c4b0; }
.map .reserved { fill: #b4b4b4; }
.map .overlay { fill: url(#dots); stroke: #0072b2 !important; stroke-dasharray: 4 2; }
.map .pod_cidrs path { stroke: #000; stroke-width: 1.5; fill: none; }
.map .band { fill-opacity: 0.08; stroke-opacity: 0.3; stroke-width: 0.6; }
.map .error .band { fill: #d55e00; stroke: #b00000; }
.map .warning .band { fill: #e69f00; stroke: #b07000; }
.map .overlap.error { fill: url(#error); }
.map .overlap.warning { fill: url(#warning); }
.map .tag.error { fill: #b00000; }
.map .tag.warning { fill: #8a5a00; }
@media screen and (prefers-color-scheme: dark) {
.paper { fill: #0d1117; }
.map text { fill: #e6edf3; }
.map .cidr { fill: #222; }
.map .stripe { fill: #1c232b; }
.map .stretch rect { fill: #a3acb6; }
.map .tag.error { fill: #ff8078; }
.map .tag.warning { fill: #e3b341; }
}
</style>
<defs>
<pattern id="error" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="2.5" height="7" fill="#c00000"/></pattern>
<pattern id="warning" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
<rect width="2" height="8" fill="#d98200"/></pattern>
<pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">
<rect width="6" height="6" fill="#eaf5fc"/><circle cx="2" cy="2" r="1.2" fill="#56b4e9"/></pattern>
</defs>
)svg";

struct Swatch {
  const char* style;
  const char* text;
};
constexpr Swatch kSwatches[] = {
    {"pods", "pods, routed"},
    {"overlay", "pods, overlay"},
    {"nodes", "nodes"},
    {"services", "services"},
    {"vpc", "VPC or vnet"},
    {"subnet", "subnet"},
    {"declared", "declared"},
    {"reserved", "reserved"},
    {"overlap error", "overlap: error"},
    {"overlap warning", "overlap: warning"},
};

class Page {
 public:
  explicit Page(const AddressMap& map) : map_(map) {}

  std::string draw() {
    draw_heading();
    draw_legend();
    int left = 120;
    for (const AddressMap::Row& row : map_.rows)
      left = std::max(left, report::text_width(row.label(), 12) + 22);
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      MapBlock block = draw_block(map_, family, left, y_);
      if (block.svg.empty()) continue;
      body_ += block.svg;
      y_ += block.height + 24;
      widen(block.width);
    }
    explain();
    return report::svg_document(width_ + 16, y_ + 12, "Addresses of " + map_.domain, kStyle,
                                "<g class=\"map\">\n" + body_ + "</g>\n");
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
  }
  void widen(int width) { width_ = std::max(width_, width); }

  void line(const std::string& text, const char* style = "plain", int x = 8) {
    put("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, x, y_, xml_text(text));
    widen(x + report::text_width(text, 12));
    y_ += kLine;
  }

  std::size_t count(Severity severity) const {
    return static_cast<std::size_t>(
        std::ranges::count(map_.intersections, severity, &AddressMap::Intersection::severity));
  }

  void draw_heading() {
    put("<text class=\"heading\" x=\"8\" y=\"26\">Addresses of {}</text>\n", xml_text(map_.domain));
    widen(8 + report::text_width(map_.domain, 19) + 150);
    y_ = 48;
    line(fmt::format("{}. Ranges overlap in {} as an error, in {} as a warning{}.",
                     counted(map_.shoots, "shoot"), counted(count(Severity::Error), "place"),
                     count(Severity::Warning), map_.complete ? "" : "; not all pairs are shown"));
  }

  void draw_legend() {
    int x = 8;
    for (const Swatch& swatch : kSwatches) {
      put("<rect class=\"swatch {}\" x=\"{}\" y=\"{}\" width=\"22\" height=\"13\"/>"
          "<text class=\"plain\" x=\"{}\" y=\"{}\">{}</text>\n",
          swatch.style, x, y_ - 6, x + 28, y_ + 5, swatch.text);
      x += 52 + report::text_width(swatch.text, 12);
    }
    widen(x);
    y_ += 26;
    line(
        "Not to scale: widths grow with the number of address bits, with a minimum of 4 pixels. // "
        "cuts out unused addresses.");
    line(
        "Small ticks are pod CIDRs of nodes. Hover over a bar or a band to see its source and the "
        "impact.");
  }

  /// The legend of the numbers below the bands, by rule and severity.
  void explain() {
    std::map<AddressMap::Intersection::Cause, std::vector<std::size_t>> intersections_of;
    for (std::size_t i = 0; i < map_.intersections.size(); ++i)
      for (const auto& [cause, reason] : map_.intersections[i].reasons)
        intersections_of[cause].push_back(i);
    for (const auto& [cause, intersections] : intersections_of) {
      const rules::Rule& broken = rule(cause.rule);
      line(fmt::format("{}: {}{} [{}]", overlane::to_string(cause.severity), fault(broken),
                       cause.severity < broken.severity
                           ? ", because ranges are assumed or networks are possibly one"
                           : "",
                       broken.id),
           "rule");
      line(fmt::format("action: {}", broken.remedy), "plain", kIndented);
      for (std::size_t i = 0; i < std::min(kMaxExplained, intersections.size()); ++i)
        line(entry(intersections[i], cause), "plain", kIndented);
      if (intersections.size() > kMaxExplained)
        line(fmt::format("… and {} more: hover over the bands",
                         intersections.size() - kMaxExplained),
             "plain", kIndented);
      y_ += kLine / 2;
    }
  }

  std::string entry(std::size_t number, const AddressMap::Intersection::Cause& cause) const {
    constexpr std::size_t kMaxRowsNamed = 4;
    const AddressMap::Intersection& intersection = map_.intersections[number];
    const std::set<std::size_t>& rows = intersection.reasons.at(cause).rows;
    std::string text = fmt::format("{}.  {}: ", number + 1, intersection.cidr.to_string());
    std::size_t named = 0;
    for (const std::size_t row : rows)
      if (named++ < kMaxRowsNamed) text += (named == 1 ? "" : ", ") + map_.rows[row].label();
    if (rows.size() > kMaxRowsNamed)
      text += fmt::format(" and {} more", rows.size() - kMaxRowsNamed);
    return text;
  }

  const AddressMap& map_;
  int y_ = 0;
  int width_ = 0;
  std::string body_;
};

}  // namespace

std::string draw_map(const AddressMap& map) {
  return Page(map).draw();
}

}  // namespace overlane::overlap
