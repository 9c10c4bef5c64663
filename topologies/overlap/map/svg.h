#pragma once

#include <string>

#include "topologies/overlap/map/address_map.h"

namespace overlane::overlap {

/// A picture (SVG 1.1, no script, nothing loaded from elsewhere) of a domain's address space: a row
/// for each shoot and each other owner, a bar for each range, and bands over what several have,
/// numbered and explained below. The same map gives the same bytes.
std::string draw_map(const AddressMap& map);

}  // namespace overlane::overlap
