#pragma once

#include <cstddef>
#include <vector>

#include "topologies/overlap/map/address_map.h"
#include "topologies/overlap/map/axis.h"

namespace overlane::overlap {

/// Where everything stands in one family's part of a picture. Lengths are in pixels.
struct MapFrame {
  /// With its upper edge at `y`; bars begin at `left`.
  MapFrame(const AddressMap& its_map, Family its_family, int its_left, int y);

  bool is_shown(const IpPrefix& cidr) const { return cidr.network().family() == family; }
  /// The upper edge of a row that is shown.
  int y_of(std::size_t row) const { return top + static_cast<int>(row) * row_height; }
  int bottom() const { return y_of(shown.size()); }

  const AddressMap& map;
  Family family;
  int left;
  MapAxis axis;
  std::vector<std::size_t> shown;  ///< Of AddressMap::rows, those with ranges of the family.
  int top = 0;                     ///< Of the rows.
  int row_height = 0;
};

}  // namespace overlane::overlap
