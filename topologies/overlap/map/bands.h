#pragma once

#include <string>

#include "topologies/overlap/map/frame.h"

namespace overlane::overlap {

/// Bands over what several rows have, the gravest on top.
std::string draw_bands(const MapFrame& frame);

/// The bands' numbers below the rows, on as many lines as they need and there are.
struct MapTags {
  std::string svg;
  int height = 0;
};
MapTags draw_tags(const MapFrame& frame);

}  // namespace overlane::overlap
