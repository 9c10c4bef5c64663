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
#include "topologies/overlap/map/block.h"

namespace overlane::overlap {
namespace {

using report::xml_text;

constexpr std::size_t kMaxExplained = 12;  // Per rule.
constexpr int kLine = 18;
constexpr int kIndented = 24;

/// The palette of Okabe and Ito, safe for colour blindness; pale enough for dark text. Shapes
/// repeat the meaning: an overlay is dashed, bands are hatched.
constexpr const char* kStyle = R"svg(<style>
text { font-family: sans-serif; fill: #222; }
.heading { font-size: 19px; font-weight: bold; }
.family { font-size: 15px; font-weight: bold; }
.plain, .stretch text { font-size: 12px; }
.tag { font-size: 11px; font-weight: bold; text-anchor: middle; }
.rule { font-size: 12px; font-weight: bold; }
.cidr { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-opacity: 0.85; }
.stripe { fill: #f4f4f4; }
.stretch rect { fill: #444; }
.gap { fill: none; stroke: #999; stroke-dasharray: 3 2; }
.bar rect, .swatch { stroke: #333; stroke-width: 1; }
.pods { fill: #8fcbf0; }
.nodes { fill: #5cc4a0; }
.services { fill: #f3e67a; }
.vpc { fill: #f0dbe6; }
.subnet { fill: #d8a3c2; }
.declared { fill: #d0c4b0; }
.reserved { fill: #b4b4b4; }
.overlay { fill: url(#dots); stroke: #0072b2 !important; stroke-dasharray: 4 2; }
.pod_cidrs path { stroke: #000; stroke-width: 1.5; fill: none; }
.band { fill-opacity: 0.08; stroke-opacity: 0.3; stroke-width: 0.6; }
.error .band { fill: #d55e00; stroke: #b00000; }
.warning .band { fill: #e69f00; stroke: #b07000; }
.overlap.error { fill: url(#error); }
.overlap.warning { fill: url(#warning); }
.tag.error { fill: #b00000; }
.tag.warning { fill: #8a5a00; }
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
    return report::svg_document(width_ + 16, y_ + 12, "Addresses of " + map_.domain, kStyle, body_);
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
