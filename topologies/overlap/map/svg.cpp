#include "topologies/overlap/map/svg.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/finding/counted.h"
#include "results/report/formats/svg.h"
#include "results/report/formats/xml.h"
#include "topologies/overlap/map/block.h"
#include "topologies/overlap/map/labels.h"

namespace overlane::overlap {
namespace {

using report::xml_text;

constexpr std::size_t kMostExplained = 12;  // Of a rule.
constexpr int kLine = 18;
constexpr int kIndented = 24;

/// Okabe and Ito's colours, which people tell apart whatever colours they see; pale enough for
/// dark text. What matters is told by shape, too: an overlay is dashed, bands are hatched.
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
.meet.error { fill: url(#error); }
.meet.warning { fill: url(#warning); }
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
    {"meet error", "overlap: error"},
    {"meet warning", "overlap: warning"},
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
        std::ranges::count(map_.pieces, severity, &AddressMap::Piece::severity));
  }

  void draw_heading() {
    put("<text class=\"heading\" x=\"8\" y=\"26\">Addresses of {}</text>\n", xml_text(map_.domain));
    widen(8 + report::text_width(map_.domain, 19) + 150);
    y_ = 48;
    line(fmt::format("{}. Ranges meet in {} as an error, in {} as a warning{}.",
                     counted(map_.shoots, "shoot"), counted(count(Severity::Error), "place"),
                     count(Severity::Warning),
                     map_.complete ? "" : ", and there are too many pairs to show all"));
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
        "Not to scale: a width grows with the number of address bits, and none is less than 4 "
        "pixels. // leaves out addresses that nobody here uses.");
    line(
        "Small ticks are pod CIDRs of nodes in use. Point at a bar or a band to read its source "
        "and "
        "what happens.");
  }

  /// What the numbers below the bands mean, rule by rule, the gravest first.
  void explain() {
    std::map<AddressMap::Piece::Cause, std::vector<std::size_t>> pieces_of;
    for (std::size_t i = 0; i < map_.pieces.size(); ++i)
      for (const auto& [cause, reason] : map_.pieces[i].reasons)
        pieces_of[cause].push_back(i);
    for (const auto& [cause, pieces] : pieces_of) {
      const rules::Rule& broken = rule(cause.rule);
      line(fmt::format("{}: {}{} [{}]", overlane::to_string(cause.severity), fault(broken),
                       cause.severity < broken.severity
                           ? ", as far as ranges are assumed or networks possibly one"
                           : "",
                       broken.id),
           "rule");
      line(fmt::format("what to do: {}", broken.remedy), "plain", kIndented);
      for (std::size_t i = 0; i < std::min(kMostExplained, pieces.size()); ++i)
        line(entry(pieces[i], cause), "plain", kIndented);
      if (pieces.size() > kMostExplained)
        line(fmt::format("… and {} more, to point at", pieces.size() - kMostExplained), "plain",
             kIndented);
      y_ += kLine / 2;
    }
  }

  std::string entry(std::size_t number, const AddressMap::Piece::Cause& cause) const {
    constexpr std::size_t kMostRowsNamed = 4;
    const AddressMap::Piece& piece = map_.pieces[number];
    const std::set<std::size_t>& rows = piece.reasons.at(cause).rows;
    std::string text = fmt::format("{}.  {}: ", number + 1, piece.cidr.to_string());
    std::size_t named = 0;
    for (const std::size_t row : rows)
      if (named++ < kMostRowsNamed) text += (named == 1 ? "" : ", ") + map_.rows[row].label();
    if (rows.size() > kMostRowsNamed)
      text += fmt::format(" and {} more", rows.size() - kMostRowsNamed);
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
