#include "topologies/overlap/map/block.h"

#include <iterator>

#include <fmt/format.h>

#include "topologies/overlap/map/bands.h"
#include "topologies/overlap/map/rows.h"

namespace overlane::overlap {
namespace {

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

}  // namespace overlane::overlap
