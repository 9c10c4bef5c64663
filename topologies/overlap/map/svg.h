#pragma once

#include <string>

#include "topologies/overlap/map/address_map.h"

// Draws an address map as one SVG file: titles, legend, a block per IP family, and the numbered
// intersections explained below. Pages embed it as it is.
namespace overlane::overlap {

/// An SVG 1.1 picture (self-contained, no script) of a domain's address space: a row for each
/// owner, a bar for each range, and numbered bands over intersections, explained below.
/// Deterministic.
std::string draw_map(const AddressMap& map);

}  // namespace overlane::overlap
