#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/overlap/map/address_map.h"

// Draws an address map as one SVG file: titles, legend, a block per IP family, and the numbered
// intersections explained below. Pages embed it as it is.

// Draws one IP family's part of an address map as SVG: the axis, a row with bars for each owner,
// and bands over addresses that several rows use. Lengths are in pixels. Text from documents is
// escaped.
namespace overlane::overlap {

/// The CSS class of a range's bar.
std::string_view style_of(Role role);

/// Tooltips of a bar and a band; markup is escaped.
std::string tooltip(const AddressMap::Row& row, const Range& range);
std::string tooltip(const AddressMap::Intersection& intersection);

/// One family's part of a picture: axis, rows, bars and bands.
struct MapBlock {
  std::string svg;  ///< Empty: no range has this family.
  int width = 0;
  int height = 0;
};

/// Draws the block with its upper edge at `y`; bars begin at `left`. Bands have the numbers of the
/// map's intersections, from 1.
MapBlock draw_block(const AddressMap& map, Family family, int left, int y);

/// An SVG 1.1 picture (self-contained, no script) of a domain's address space: a row for each
/// owner, a bar for each range, and numbered bands over intersections, explained below.
/// Deterministic.
std::string draw_map(const AddressMap& map);

}  // namespace overlane::overlap
