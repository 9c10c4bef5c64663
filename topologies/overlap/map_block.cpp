#include "topologies/overlap/map_block.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/xml_text.h"
#include "topologies/overlap/map_axis.h"
#include "topologies/overlap/map_text.h"

namespace overlane::overlap {
namespace {

using document::xml_text;

constexpr int kWidth = 980;     // Of the axis, without what small ranges add.
constexpr int kTagHeight = 13;  // A line of bands' numbers.
constexpr int kMostTagLines = 5;

/// The more rows, the thinner.
int height_of_rows(std::size_t rows) {
  return rows <= 40 ? 24 : rows <= 120 ? 17 : 13;
}

struct Label {
  int x = 0;
  int y = 0;
  int font = 0;
  std::string text;
};

class Block {
 public:
  Block(const AddressMap& map, Family family, int left, int y)
      : map_(map), family_(family), left_(left), y_(y), axis_(axis_of(map, family)) {
    int longest = 0;
    for (const MapAxis::Stretch& stretch : axis_.stretches())
      longest = std::max(longest, text_width(label_of(stretch), 12));
    top_ = y + longest * 2 / 3 + 24;  // Labels are slanted.
    for (std::size_t i = 0; i < map.rows.size(); ++i)
      if (std::ranges::any_of(map.rows[i].ranges, [&](const Range& r) { return is_shown(r.cidr); }))
        shown_.push_back(i);
    row_height_ = height_of_rows(shown_.size());
  }

  MapBlock draw() {
    if (shown_.empty()) return {};
    draw_axis();
    for (std::size_t i = 0; i < shown_.size(); ++i)
      draw_row(i);
    draw_gaps();
    for (std::size_t i = map_.pieces.size(); i-- > 0;)  // The gravest on top.
      if (is_shown(map_.pieces[i].cidr)) draw_band(i);
    svg_ += over_;
    const int tags = draw_tags();
    const int slanted = (top_ - y_) * 6 / 5;
    return {std::move(svg_), left_ + axis_.width() + slanted, bottom() + tags - y_};
  }

 private:
  static MapAxis axis_of(const AddressMap& map, Family family) {
    std::vector<IpPrefix> ranges;
    for (const AddressMap::Row& row : map.rows)
      for (const Range& range : row.ranges)
        if (range.cidr.network().family() == family) ranges.push_back(range.cidr);
    return MapAxis(std::move(ranges), kWidth);
  }

  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Args>(args)...);
  }

  template <typename... Args>
  void put_over(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(over_), format, std::forward<Args>(args)...);
  }

  bool is_shown(const IpPrefix& cidr) const { return cidr.network().family() == family_; }
  int y_of(std::size_t row) const { return top_ + static_cast<int>(row) * row_height_; }
  int bottom() const { return y_of(shown_.size()); }

  void draw_axis() {
    put("<text class=\"family\" x=\"8\" y=\"{}\">{}</text>\n", top_ - 8,
        family_ == Family::Ipv4 ? "IPv4" : "IPv6");
    int free_from = 0;
    for (const MapAxis::Stretch& stretch : axis_.stretches()) {
      const int x = left_ + stretch.span.x;
      const std::string label = label_of(stretch);
      put("<g class=\"stretch\"><title>{0}</title><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" "
          "height=\"3\"/>",
          label, x, top_ - 5, stretch.span.width);
      if (x >= free_from) {
        put("<text transform=\"translate({},{}) rotate(-40)\">{}</text>", x + 5, top_ - 9, label);
        free_from = x + 18;
      }
      put("</g>\n");
    }
  }

  /// A CIDR where the stretch is one, else its ends.
  static std::string label_of(const MapAxis::Stretch& stretch) {
    for (unsigned length = 0; length <= (stretch.first.is_ipv4() ? 32 : 128); ++length) {
      const auto cidr = IpPrefix::containing(stretch.first, static_cast<std::uint8_t>(length));
      if (cidr.network() == stretch.first &&
          ranges::last_of(cidr) == ranges::number_of(stretch.last))
        return cidr.to_string();
    }
    return fmt::format("{} – {}", stretch.first.to_string(), stretch.last.to_string());
  }

  void draw_row(std::size_t i) {
    const AddressMap::Row& row = map_.rows[shown_[i]];
    const int font = std::min(12, row_height_ - 3);
    const std::string owner = xml_text(row.label());
    if (i % 2 == 0)
      put("<rect class=\"stripe\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", y_of(i),
          left_ + axis_.width(), row_height_);
    put("<text class=\"owner\" font-size=\"{}\" x=\"8\" y=\"{}\">{}</text>\n", font,
        y_of(i) + row_height_ / 2 + font / 3, owner);
    std::vector<const Range*> outer;
    for (const Range& range : row.ranges) {
      if (!is_shown(range.cidr)) continue;
      std::erase_if(outer, [&](const Range* one) { return !one->cidr.contains(range.cidr); });
      draw_bar(i, row, range, static_cast<int>(outer.size()));
      outer.push_back(&range);
    }
    for (const Label& label : labels_)
      put_over("<text class=\"cidr\" font-size=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", label.font,
               left_ + label.x, label.y, label.text);
    labels_.clear();
    draw_slices(i, row);
  }

  /// Bars that lie in others are lower.
  void draw_bar(std::size_t i, const AddressMap::Row& row, const Range& range, int depth) {
    const MapAxis::Span span = axis_.of(range.cidr);
    const int inset = std::min(1 + depth * row_height_ / 8, row_height_ / 3);
    const int height = row_height_ - 2 * inset;
    put("<g class=\"bar\"><title>{}</title><rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/></g>\n",
        tooltip(row, range), style_of(range.role), is_overlay(range.carriage) ? " overlay" : "",
        left_ + span.x, y_of(i) + inset, span.width, height);
    label_bar(i, range, span, height);
  }

  /// A bar's text gives way to bars that lie under it.
  void label_bar(std::size_t i, const Range& range, MapAxis::Span span, int height) {
    std::erase_if(labels_, [&](const Label& label) {
      return label.x < span.x + span.width && span.x < label.x + text_width(label.text, label.font);
    });
    const int font = std::min(10, height);
    std::string text = range.cidr.to_string() + (range.assumed ? " (assumed)" : "");
    if (font >= 8 && text_width(text, font) + 6 <= span.width)
      labels_.push_back({span.x + 4, y_of(i) + row_height_ / 2 + font / 3, font, std::move(text)});
  }

  void draw_slices(std::size_t i, const AddressMap::Row& row) {
    std::set<int> ticks;
    std::size_t count = 0;
    for (const IpPrefix& slice : row.slices) {
      const auto holds = [&](const Range& range) { return range.cidr.contains(slice); };
      if (!is_shown(slice) || std::ranges::none_of(row.ranges, holds)) continue;
      ++count;
      ticks.insert(axis_.of(slice).x);
    }
    if (ticks.empty()) return;
    put_over("<g class=\"slices\"><title>{}: slices of nodes in use: {}</title><path d=\"",
             xml_text(row.owner), count);
    for (const int x : ticks)
      put_over("M{}.5 {}v{}", left_ + x, y_of(i) + row_height_ * 2 / 3, row_height_ / 3 - 1);
    put_over("\"/></g>\n");
  }

  void draw_gaps() {
    const auto& stretches = axis_.stretches();
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      const int x = left_ + stretches[i].span.x - MapAxis::kGap / 2;
      put("<path class=\"gap\" d=\"M{0} {1}l4 -10M{2} {1}l4 -10M{3} {4}V{5}\"/>\n", x - 5, top_ + 1,
          x, x, top_ + 4, bottom());
    }
  }

  /// From the first to the last row that it concerns; hatched where it does.
  void draw_band(std::size_t number) {
    const AddressMap::Piece& piece = map_.pieces[number];
    const MapAxis::Span span = axis_.of(piece.cidr);
    std::map<std::size_t, Severity> rows;  // Shown ones, and the gravest that each is part of.
    for (const auto& [cause, reason] : piece.reasons)
      for (const std::size_t row : reason.rows) {
        const auto place = std::ranges::lower_bound(shown_, row) - shown_.begin();
        Severity& gravest = rows[static_cast<std::size_t>(place)];
        gravest = std::max(gravest, cause.severity);
      }
    put("<g class=\"piece {}\"><title>{}</title><rect class=\"band\" x=\"{}\" y=\"{}\" "
        "width=\"{}\" height=\"{}\"/>",
        overlane::to_string(piece.severity), tooltip(piece), left_ + span.x,
        y_of(rows.begin()->first), span.width,
        y_of(rows.rbegin()->first + 1) - y_of(rows.begin()->first));
    for (const auto& [row, severity] : rows)
      put("<rect class=\"meet {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
          overlane::to_string(severity), left_ + span.x, y_of(row), span.width, row_height_);
    put("</g>\n");
  }

  /// The bands' numbers below the rows, on as many lines as they need and there are. Returns the
  /// height of these.
  int draw_tags() {
    std::vector<int> ends;  // Of the lines.
    for (const std::size_t number : tagged()) {
      const MapAxis::Span span = axis_.of(map_.pieces[number].cidr);
      const std::string tag = fmt::format("{}", number + 1);
      const int middle = left_ + span.x + span.width / 2;
      const int half = text_width(tag, 11) / 2 + 4;
      auto line = std::ranges::find_if(ends, [&](int end) { return end <= middle - half; });
      if (line == ends.end()) {
        if (ends.size() == kMostTagLines) continue;
        line = ends.insert(ends.end(), 0);
      }
      *line = middle + half;
      put("<text class=\"tag {}\" x=\"{}\" y=\"{}\">{}</text>\n",
          overlane::to_string(map_.pieces[number].severity), middle,
          bottom() + kTagHeight * static_cast<int>(line - ends.begin() + 1), tag);
    }
    return kTagHeight * static_cast<int>(ends.size());
  }

  /// The numbers of the bands, from left to right.
  std::vector<std::size_t> tagged() const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < map_.pieces.size(); ++i)
      if (is_shown(map_.pieces[i].cidr)) numbers.push_back(i);
    std::ranges::stable_sort(numbers, {}, [&](std::size_t i) {
      const MapAxis::Span span = axis_.of(map_.pieces[i].cidr);
      return span.x + span.width / 2;
    });
    return numbers;
  }

  const AddressMap& map_;
  Family family_;
  int left_;
  int y_;
  int top_ = 0;  ///< Of the rows.
  MapAxis axis_;
  std::vector<std::size_t> shown_;  ///< Rows with ranges of the family.
  int row_height_ = 0;
  std::vector<Label> labels_;  ///< Of the row that is being drawn.
  std::string svg_;
  std::string over_;  ///< What stands on top: texts and ticks.
};

}  // namespace

MapBlock draw_block(const AddressMap& map, Family family, int left, int y) {
  return Block(map, family, left, y).draw();
}

}  // namespace overlane::overlap
