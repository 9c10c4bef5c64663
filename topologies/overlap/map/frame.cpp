#include "topologies/overlap/map/frame.h"

#include <algorithm>
#include <utility>

#include "results/report/formats/svg.h"

namespace overlane::overlap {
namespace {

constexpr int kWidth = 980;  // Of the axis, without what small ranges add.

/// The more rows, the thinner.
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

}  // namespace

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

}  // namespace overlane::overlap
