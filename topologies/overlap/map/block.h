#pragma once

#include <string>

#include "topologies/overlap/map/address_map.h"

namespace overlane::overlap {

/// One family's part of a picture: axis, rows, bars and bands.
struct MapBlock {
  std::string svg;  ///< Empty: no range is of that family.
  int width = 0;
  int height = 0;
};

/// Draws it with its upper edge at `y`; bars begin at `left`. Bands have the numbers of the map's
/// intersections, from 1.
MapBlock draw_block(const AddressMap& map, Family family, int left, int y);

}  // namespace overlane::overlap
