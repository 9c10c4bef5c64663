#include "topologies/overlap/map/bands.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "results/report/formats/svg.h"
#include "topologies/overlap/map/labels.h"

namespace overlane::overlap {
namespace {

constexpr int kTagHeight = 13;  // A line of bands' numbers.
constexpr int kMaxTagLines = 5;

/// From the first to the last row that it concerns; hatched where it does.
void draw_band(const MapFrame& frame, std::size_t number, std::string& svg) {
  const AddressMap::Intersection& intersection = frame.map.intersections[number];
  const MapAxis::Span span = frame.axis.of(intersection.cidr);
  std::map<std::size_t, Severity> rows;  // Shown ones, and the gravest that each is part of.
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

/// The numbers of the bands, from left to right.
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

}  // namespace

std::string draw_bands(const MapFrame& frame) {
  std::string svg;
  for (std::size_t i = frame.map.intersections.size(); i-- > 0;)
    if (frame.is_shown(frame.map.intersections[i].cidr)) draw_band(frame, i, svg);
  return svg;
}

MapTags draw_tags(const MapFrame& frame) {
  MapTags tags;
  std::vector<int> ends;  // Of the lines.
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

}  // namespace overlane::overlap
