#pragma once

#include <string>

#include "topologies/overlap/map/frame.h"

namespace overlane::overlap {

/// The rows of a picture: their owners, bars and pod CIDRs.
struct MapRows {
  std::string svg;
  std::string over;  ///< What stands on top of bands: texts and ticks.
};

MapRows draw_rows(const MapFrame& frame);

}  // namespace overlane::overlap
