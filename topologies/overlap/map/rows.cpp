#include "topologies/overlap/map/rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/report/formats/svg.h"
#include "topologies/overlap/map/labels.h"

namespace overlane::overlap {
namespace {

using report::xml_text;

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

  /// Bars that lie in others are lower.
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

  /// A bar's text gives way to bars that lie under it.
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
  std::vector<Label> labels_;  ///< Of the row that is being drawn.
  MapRows drawn_;
};

}  // namespace

MapRows draw_rows(const MapFrame& frame) {
  return Rows(frame).draw();
}

}  // namespace overlane::overlap
